// Byte budgets of a first load, of the built UI: node budget.mjs [folder].
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const KB = 1_024;
const BUDGETS = { js: 60 * KB, css: 12 * KB, woff2: 90 * KB };
const TOTAL = 250 * KB;

const here = import.meta.dirname;
const folder = [
  process.argv[2],
  join(here, 'dist'),
  join(here, '..', '..', '..', 'target', 'classes', 'META-INF', 'resources'),
].find((candidate) => candidate && existsSync(join(candidate, 'index.html')));
if (!folder) {
  console.error('no built UI: run `npm run build` first');
  process.exit(1);
}

const sizes = { js: 0, css: 0, woff2: 0, html: 0, svg: 0 };
for (const name of readdirSync(folder, { recursive: true })) {
  const kind = name.split('.').pop();
  if (!(kind in sizes)) continue;
  const content = readFileSync(join(folder, name));
  sizes[kind] += kind === 'woff2' ? content.length : gzipSync(content).length;
}

const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
const lines = [
  ...Object.entries(BUDGETS).map(([kind, max]) => [kind, sizes[kind], max]),
  ['total', total, TOTAL],
];
let over = false;
for (const [kind, size, max] of lines) {
  over ||= size > max;
  const mark = size > max ? 'OVER' : 'ok';
  console.log(`${kind.padEnd(6)} ${(size / KB).toFixed(1).padStart(6)} of ${max / KB} KB  ${mark}`);
}
process.exit(over ? 1 : 0);
