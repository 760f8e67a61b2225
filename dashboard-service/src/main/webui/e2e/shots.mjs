// Pictures of the pages for people to look at: node e2e/shots.mjs <folder>.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, mockFor, signIn } from './browser.mjs';

const folder = process.argv[2] ?? 'shots';
mkdirSync(folder, { recursive: true });
const mock = await mockFor();
const browser = await launch();
for (const colorScheme of ['light', 'dark']) {
  for (const width of [1440, 390]) {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: width > 600 ? 900 : 844 },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const shot = (name) =>
      page.screenshot({
        path: join(folder, `${name}-${colorScheme}-${width}.png`),
        fullPage: true,
      });
    await page.goto(mock.url);
    await shot('sign-in');
    await signIn(page);
    await page.locator('#jobs tbody tr').first().waitFor();
    await page.locator('.pill-live').waitFor();
    await shot('overview');
    await context.close();
  }
}
await browser.close();
mock.stop();
