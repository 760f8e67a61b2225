import { defineConfig } from 'vitest/config';

const api = process.env.DASHBOARD_URL ?? 'http://localhost:8090';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // Browsers that know light-dark(); older targets would make the CSS twice as large.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Inlined assets would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    sourcemap: false,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      '/api': api,
      '/.well-known': api,
      '/live': { target: api, ws: true },
    },
  },
  test: {
    // Component tests ask for happy-dom in their first line.
    environment: 'node',
    include: ['test/**/*.test.{ts,tsx}'],
    restoreMocks: true,
  },
});
