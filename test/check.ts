import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkWalls, ROOT } from './walls.ts';

const MAX_LINES = 400;
/** ADR 11. */
const MAX_KERNEL_LINES = 6_000;
const MAX_DOORS = 4;
const run = promisify(execFile);

/** A check that needs no service: resolves with a word on what it looked at, rejects with what is wrong. */
interface Check {
  name: string;
  look(): Promise<string>;
}

const program = (name: string, ...args: string[]): Promise<string> =>
  run(path.join(ROOT, 'node_modules', '.bin', name), args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 }).then(
    () => 'clean',
    (error: { stdout?: string; stderr?: string }) =>
      Promise.reject(new Error(`${error.stdout}\n${error.stderr}`.trim())),
  );

async function tracked(...patterns: string[]): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-z', ...patterns], { cwd: ROOT });
  const files = stdout.split('\0').filter(Boolean);
  if (files.length === 0) throw new Error(`no file matches ${patterns.join(' ')}: nothing was checked`);
  return files;
}

async function lineCounts(...patterns: string[]): Promise<[string, number][]> {
  const files = await tracked(...patterns);
  return Promise.all(
    files.map(async (file) => [file, (await readFile(path.join(ROOT, file), 'utf8')).split('\n').length - 1]),
  );
}

const CHECKS: Check[] = [
  { name: 'lint', look: () => program('biome', 'check', '--error-on-warnings', '.') },
  { name: 'types', look: () => program('tsc', '-p', 'tsconfig.json') },
  {
    name: 'walls',
    async look() {
      const { modules, faults } = await checkWalls(ROOT);
      if (faults.length > 0) throw new Error(faults.join('\n'));
      return `${modules} modules`;
    },
  },
  {
    name: 'file sizes',
    async look() {
      const counts = await lineCounts('*.ts', '*.mjs', '*.py');
      const long = counts.filter(([, lines]) => lines > MAX_LINES);
      if (long.length > 0) throw new Error(long.map(([file, lines]) => `${file}: ${lines} lines`).join('\n'));
      return `${counts.length} files, at most ${MAX_LINES} lines each`;
    },
  },
  {
    name: 'kernel size',
    async look() {
      const counts = await lineCounts('kernel/src/*', ':!kernel/src/testing*');
      const lines = counts.reduce((sum, [, count]) => sum + count, 0);
      if (lines > MAX_KERNEL_LINES) throw new Error(`kernel/src has ${lines} lines, at most ${MAX_KERNEL_LINES}`);
      return `${lines} of ${MAX_KERNEL_LINES} lines`;
    },
  },
  {
    name: 'doors',
    async look() {
      const packages = await tracked('*/package.json');
      for (const file of packages) {
        const { exports = {} } = JSON.parse(await readFile(path.join(ROOT, file), 'utf8')) as { exports?: object };
        const doors = Object.keys(exports).length;
        if (doors > MAX_DOORS) throw new Error(`${file} opens ${doors} doors, at most ${MAX_DOORS}`);
      }
      return `${packages.length} packages`;
    },
  },
];

/** Runs every check, whatever the others say, and prints each; exit 1 when one found something. */
async function main(): Promise<number> {
  let failed = 0;
  for (const { name, look } of CHECKS) {
    try {
      process.stderr.write(`  ✓ ${name}: ${await look()}\n`);
    } catch (error) {
      failed += 1;
      process.stderr.write(`  ✗ ${name}\n${(error as Error).message.replaceAll(/^/gm, '      ')}\n`);
    }
  }
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main();
