// What the browser tests share: the browser, the back end, signing in.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startMock } from '../mock/server.mjs';

const DIST =
  process.env.DASHBOARD_DIST ??
  [
    join(import.meta.dirname, '..', 'dist'),
    join(import.meta.dirname, '..', '..', '..', '..', 'target', 'classes', 'META-INF', 'resources'),
  ].find((folder) => existsSync(join(folder, 'index.html')));

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

export function mockFor(options = {}) {
  if (!DIST) throw new Error('no built UI: run `npm run build` first');
  return startMock({ dist: DIST, ...options });
}

export async function signIn(page, email = 'mira@example.org', password = 'mock') {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
