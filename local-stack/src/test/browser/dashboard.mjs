// A person at the dashboard, for DashboardE2eIT: signs in, stays on the page, and writes down what the
// tiles show, one JSON line for each change, until so many jobs have succeeded.
// Environment: WEBUI (folder with node_modules), DASHBOARD, PROJECT, EMAIL, PASSWORD, JOBS, SHOTS, CHROMIUM.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { WEBUI, DASHBOARD, PROJECT, EMAIL, PASSWORD, JOBS, SHOTS, CHROMIUM } = process.env;
const { chromium } = createRequire(join(WEBUI, 'package.json'))('playwright-core');
const LIMIT = 60_000;

const say = (event) => console.log(JSON.stringify(event));

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  page.setDefaultTimeout(LIMIT);
  page.on('pageerror', (error) => say({ fault: String(error) }));
  page.on('console', (message) => {
    if (message.type() === 'error') say({ fault: `${message.text()} ${message.location().url}` });
  });

  await page.goto(`${DASHBOARD}/p/${PROJECT}`);
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('.pill-live').waitFor();
  // Marks this very page: a reload would lose it.
  await page.evaluate(() => (window.stayed = true));
  say({ live: true });

  const shown = async (state) => {
    const number = page.locator(`a.tile[href*="state=${state}"] .tile-number`);
    return Number((await number.innerText()).replaceAll(',', ''));
  };
  let last = '';
  const end = Date.now() + LIMIT;
  for (;;) {
    const tiles = { running: await shown('running'), succeeded: await shown('succeeded') };
    if (JSON.stringify(tiles) !== last) {
      last = JSON.stringify(tiles);
      say(tiles);
      await page.screenshot({ path: join(SHOTS, `dashboard-${tiles.succeeded}.png`) });
    }
    if (tiles.succeeded === Number(JOBS) || Date.now() > end) break;
    await page.waitForTimeout(100);
  }
  say({ stayed: await page.evaluate(() => window.stayed === true) });
} finally {
  await browser.close();
}
