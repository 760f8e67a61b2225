// Builds the web UI for Maven: node build.mjs <output folder> <stamp file>.
// `npm ci` runs only when the lock file changed, the build only when a source changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const here = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname);
const [outDir, stampFile] = process.argv.slice(2);
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const SOURCES = [
  'index.html',
  'package-lock.json',
  'package.json',
  'public',
  'src',
  'tsconfig.json',
  'vite.config.ts',
];

function fail(message) {
  console.error(`web UI: ${message}`);
  process.exit(1);
}

function checkTools() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const ok = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
  if (!ok) {
    fail(
      `Node >= 20.19 (or >= 22.12) is needed, this is ${process.versions.node}.` +
        ' Update it, or build without the UI: -Dwebui.skip=true',
    );
  }
}

// npm 10 leaves out the platform packages that Vite 8 needs.
function checkNpm() {
  const found = spawnSync(npm, ['--version'], { encoding: 'utf8', shell: npm.endsWith('.cmd') });
  const version = found.stdout?.trim() ?? '';
  if (!version) fail('npm >= 11 is needed, and no `npm` is on the PATH');
  if (Number(version.split('.')[0]) < 11) {
    fail(`npm >= 11 is needed, this is ${version}. Update it: npm install --global npm@11`);
  }
}

function hashOf(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    const full = join(here, path);
    if (!existsSync(full)) return;
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).toSorted()) add(join(path, name));
    } else {
      hash.update(path).update('\0').update(readFileSync(full)).update('\0');
    }
  };
  paths.forEach(add);
  return hash.digest('hex');
}

function run(command, args) {
  const done = spawnSync(command, args, {
    cwd: here,
    stdio: 'inherit',
    shell: command.endsWith('.cmd'),
  });
  if (done.status !== 0) fail(`\`${[command, ...args].join(' ')}\` failed`);
}

function readOrEmpty(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function writeStamp(file, hash) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, hash);
}

if (!outDir || !stampFile) fail('usage: node build.mjs <output folder> <stamp file>');
checkTools();

const lockStamp = join(here, 'node_modules', '.lock-stamp');
const lockHash = hashOf(['package.json', 'package-lock.json', '.npmrc']);
if (readOrEmpty(lockStamp) !== lockHash) {
  checkNpm();
  run(npm, ['ci']);
  writeStamp(lockStamp, lockHash);
}

const sourceHash = hashOf(SOURCES);
if (readOrEmpty(stampFile) === sourceHash && existsSync(join(outDir, 'index.html'))) {
  console.log('web UI: unchanged, not rebuilt');
} else {
  run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '--noEmit']);
  run(process.execPath, [
    join('node_modules', 'vite', 'bin', 'vite.js'),
    'build',
    '--outDir',
    outDir,
    '--emptyOutDir',
  ]);
  writeStamp(stampFile, sourceHash);
}
