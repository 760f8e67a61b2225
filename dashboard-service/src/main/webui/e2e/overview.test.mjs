// The dashboard in a real browser. Without DASHBOARD_URL against the mock back end; with it (and
// DASHBOARD_EMAIL, DASHBOARD_PASSWORD) against a running service, leaving out what needs the mock.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { launch, mockFor, signIn } from './browser.mjs';

const real = process.env.DASHBOARD_URL;
const email = process.env.DASHBOARD_EMAIL ?? 'mira@example.org';
const password = process.env.DASHBOARD_PASSWORD ?? 'mock';
const project = process.env.DASHBOARD_PROJECT ?? (real ? 'default' : 'acme-prod');
const needsMock = { skip: real ? 'needs the mock back end' : false };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

let browser;
let mock;
let url;

before(async () => {
  browser = await launch();
  if (real) {
    url = real.replace(/\/$/, '');
  } else {
    mock = await mockFor();
    ({ url } = mock);
  }
});

after(async () => {
  await browser?.close();
  mock?.stop();
});

beforeEach(() => {
  mock?.control({ delay: 0, fail: null, sockets: 'open', signals: 1, empty: false, freeze: false });
});

/** A page whose console errors and policy violations fail the test at its end. */
async function withPage(options, run) {
  const { expectErrors, ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...rest });
  context.setDefaultTimeout(15_000);
  const errors = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  try {
    await run(page, context);
    const unexpected = errors.filter((text) => !expectErrors?.test(text));
    assert.deepEqual(unexpected, [], 'errors in the console');
  } finally {
    await context.close();
  }
}

async function openOverview(page, query = '') {
  await page.goto(`${url}/p/${project}${query}`);
  await signIn(page, email, password);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.locator('.pill-live, .pill-slowed').waitFor();
}

async function axe(page, what) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    (tags) => window.axe.run(document, { runOnly: { type: 'tag', values: tags } }),
    WCAG,
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(' ')}`);
  assert.deepEqual(found, [], `axe: ${what}`);
}

const rowIds = (page) => page.locator('#jobs tbody .cell-id').allTextContents();

test('a deep link survives signing in', async () => {
  await withPage({}, async (page) => {
    await openOverview(page, '?state=dead');
    assert.equal(new URL(page.url()).search, '?state=dead');
    await page.getByRole('heading', { name: 'Latest jobs: dead' }).waitFor();
    assert.match(await page.title(), new RegExp(`Overview · ${project} · Job Scheduler`));
  });
});

test('a wrong password is said and keeps what was typed', async () => {
  await withPage({ expectErrors: /401/ }, async (page) => {
    await page.goto(url);
    await signIn(page, email, 'wrong');
    await page.getByText('Email or password is wrong.').waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), email);
  });
});

test('the root leads to the first project, and signing out forgets the session', async () => {
  await withPage({}, async (page) => {
    await page.goto(url);
    await signIn(page, email, password);
    await page.waitForURL(/\/p\//);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

test('a project that is not theirs is said to be unknown', async () => {
  await withPage({}, async (page) => {
    await page.goto(`${url}/p/nobody-knows-this`);
    await signIn(page, email, password);
    await page.getByRole('heading', { name: 'Project not found' }).waitFor();
  });
});

test('every panel answers and the pill says Live', async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    for (const title of ['Queues', 'Latest jobs', 'Workers']) {
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
    }
    await page.getByRole('heading', { name: /Workflows in flight|Latest workflows/ }).waitFor();
    await page.locator('.tiles:not(.pending)').waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    assert.equal(await page.locator('.failure').count(), 0);
    assert.equal(await page.locator('.tile').count(), 6);
  });
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1440, 390]) {
    test(`axe finds nothing, ${colorScheme}, ${width} px`, async () => {
      const viewport = { width, height: 844 };
      await withPage({ colorScheme, viewport, expectErrors: /503/ }, async (page) => {
        await page.goto(url);
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await axe(page, 'sign-in');
        await openOverview(page);
        await page.locator('.skeleton').first().waitFor({ state: 'detached' });
        await axe(page, 'overview');
        await page.getByRole('button', { name: 'Account' }).click();
        await axe(page, 'user menu');
        await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
        await axe(page, 'shortcuts');
        await page.keyboard.press('Escape');
        if (real) return;
        mock.control({ empty: true });
        await page.reload();
        await page.getByText('No job yet').waitFor();
        await axe(page, 'empty');
        mock.control({ fail: { path: 'queues', status: 503 } });
        await page.reload();
        await page.getByText('The database is away.').waitFor();
        await axe(page, 'error');
      });
    });
  }
}

test('signals move the numbers without a reload', needsMock, async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    await page.mouse.move(5, 500);
    const first = (await rowIds(page))[0];
    await page.waitForFunction(
      (id) => document.querySelector('#jobs tbody .cell-id')?.textContent !== id,
      first,
    );
  });
});

test('rows stay in place under the pointer and are patched there', needsMock, async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    await page.locator('#jobs tbody tr').nth(3).hover();
    const before = await rowIds(page);
    const running = await page.locator('#jobs tbody').textContent();
    await page.getByRole('button', { name: /newer – show/ }).waitFor();
    assert.deepEqual(await rowIds(page), before);
    assert.notEqual(await page.locator('#jobs tbody').textContent(), running);
    await page.getByRole('button', { name: /newer – show/ }).click();
    assert.notDeepEqual(await rowIds(page), before);
  });
});

test('a tile filters the latest jobs, and Back takes it off', async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    await page.locator('.tile', { hasText: 'Dead' }).click();
    await page.getByRole('heading', { name: 'Latest jobs: dead' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Latest jobs', exact: true }).waitFor();
  });
});

test('a hidden tab asks for nothing and catches up once', needsMock, async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    const hide = (hidden) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await hide(true);
    await page.waitForTimeout(500);
    const before = mock.log.length;
    await page.waitForTimeout(6_000);
    assert.equal(mock.log.length, before, 'requests while hidden');
    await hide(false);
    await page.waitForTimeout(1_000);
    assert.equal(mock.log.length - before, 5, 'one request for each panel');
  });
});

test('a storm of signals stays within one request per two seconds', needsMock, async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    mock.control({ signals: 500 });
    await page.waitForTimeout(2_000);
    const before = mock.log.length;
    const seconds = 16;
    await page.waitForTimeout(seconds * 1_000);
    const asked = mock.log.length - before;
    assert.ok(asked >= 5, `${asked} requests: it must go on`);
    assert.ok(asked <= seconds / 2 + 2, `${asked} requests in ${seconds} s`);
  });
});

test('a lost socket is said, polled around, and found again', needsMock, async () => {
  await withPage({ expectErrors: /WebSocket/ }, async (page) => {
    await openOverview(page);
    mock.control({ sockets: 'refused' });
    await page.getByRole('button', { name: 'Polling 10 s' }).waitFor();
    mock.control({ sockets: 'open' });
    await page.locator('.pill-live').waitFor({ timeout: 40_000 });
  });
});

test('a refused token brings the form over the page and loses nothing', needsMock, async () => {
  await withPage({ expectErrors: /401/ }, async (page) => {
    await openOverview(page, '?state=dead');
    await page.locator('#jobs tbody tr').first().waitFor();
    mock.control({ revoke: true });
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    assert.equal(new URL(page.url()).search, '?state=dead');
    assert.ok((await page.locator('#jobs tbody tr').count()) > 0, 'the page is still there');
    await axe(page, 'sign-in dialog');
    await page.getByLabel('Password').fill('mock');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.pill-live').waitFor();
  });
});

test('the server closing with 4401 asks to sign in again', needsMock, async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    mock.control({ close: 4401 });
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  });
});

test('a failing panel fails alone and keeps its last good data', needsMock, async () => {
  await withPage({ expectErrors: /503/ }, async (page) => {
    await openOverview(page);
    await page.locator('#queues tbody tr').first().waitFor();
    mock.control({ fail: { path: 'queues', status: 503 } });
    await page.locator('#queues .failure').waitFor({ timeout: 30_000 });
    assert.ok((await page.locator('#queues tbody tr').count()) > 0);
    assert.equal(await page.locator('.failure').count(), 1);
    mock.control({ fail: null });
    await page.locator('#queues').getByRole('button', { name: 'Try again' }).click();
    await page.locator('#queues .failure').waitFor({ state: 'detached' });
  });
});

test('being offline is said with the time, and ends by itself', needsMock, async () => {
  await withPage({ expectErrors: /./ }, async (page, context) => {
    await openOverview(page);
    await context.setOffline(true);
    await page.getByRole('button', { name: /Offline since/ }).waitFor();
    await page.getByText(/No connection to the server since/).waitFor();
    await context.setOffline(false);
    await page.locator('.pill-live').waitFor({ timeout: 40_000 });
  });
});

test('two tabs share one socket, and the second takes over', needsMock, async () => {
  await withPage({}, async (page, context) => {
    await openOverview(page);
    const second = await context.newPage();
    await openOverview(second);
    assert.equal(mock.sockets.size, 1);
    await page.close();
    await second.waitForTimeout(1_500);
    await second.locator('.pill-live').waitFor();
    assert.equal(mock.sockets.size, 1);
  });
});

test('everything is reached by keyboard', async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
    await page.keyboard.press('l');
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    await page.keyboard.press('l');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const rows = page.locator('#queues tbody tr');
    await rows.first().focus();
    if ((await rows.count()) > 1) {
      await page.keyboard.press('ArrowDown');
      assert.ok(await rows.nth(1).evaluate((row) => row === document.activeElement));
    }
    await page.getByRole('button', { name: /^Project:/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemradio', { name: new RegExp(project) }).waitFor();
    await page.keyboard.press('Escape');
    assert.match(
      await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''),
      /^Project:/,
    );
  });
});

test('a menu closed as soon as it opens gives the focus back', async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    const label = await page.evaluate(async () => {
      const opener = document.querySelector('[aria-label^="Project:"]');
      opener.focus();
      const opened = new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          observer.disconnect();
          resolve(null);
        }).observe(opener.parentElement, { childList: true });
      });
      opener.click();
      await opened;
      document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }),
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      return document.activeElement?.getAttribute('aria-label') ?? '';
    });
    assert.match(label, /^Project:/);
  });
});

test('the exact time shows on hover and goes with Escape', needsMock, async () => {
  await withPage({}, async (page) => {
    await openOverview(page);
    await page.locator('#jobs tbody time').first().hover();
    const tip = page.getByRole('tooltip');
    await tip.waitFor();
    assert.match((await tip.textContent()) ?? '', /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/);
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'hidden' });
  });
});

test('the theme is kept over a reload', async () => {
  await withPage({ colorScheme: 'light' }, async (page) => {
    await openOverview(page);
    const background = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.keyboard.press('Shift+D');
    await page.keyboard.press('Shift+D');
    assert.notEqual(await background(), light);
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    assert.notEqual(await background(), light);
  });
});

for (const width of [360, 320]) {
  test(`nothing is wider than a phone of ${width} px`, async () => {
    await withPage({ viewport: { width, height: 740 } }, async (page) => {
      await openOverview(page);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll('body *')]
          .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1)
          .filter((element) => !element.closest('.table-scroll, .copy-block, .skip, .only-spoken'))
          .map((element) => element.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(wide, []);
    });
  });
}

test('bytes, nodes and layout shift stay within their budgets', needsMock, async () => {
  await withPage({}, async (page) => {
    await page.addInitScript(() => {
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (!entry.hadRecentInput) window.shift += entry.value;
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    mock.control({ delay: 400 });
    await openOverview(page);
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    mock.control({ delay: 0 });
    await page.reload();
    await page.locator('#jobs tbody tr').first().waitFor();
    await page.waitForTimeout(500);
    const { shift, nodes } = await page.evaluate(() => ({
      shift: window.shift,
      nodes: document.querySelectorAll('*').length,
    }));
    assert.ok(shift <= 0.02, `layout shift ${shift}`);
    assert.ok(nodes <= 4_000, `${nodes} nodes`);
  });
});
