import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { SEED_VARIABLE } from './test-seed.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** A program that runs for long, and how it is told how long. */
interface Soak {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[] | (() => Promise<readonly string[]>);
  readonly env?: () => NodeJS.ProcessEnv;
}

const MAX_SEED = 999_999_999;

/** The test files that state a law of their own. */
async function propertyTests(): Promise<string[]> {
  const exclude = (name: string) => name.includes('node_modules');
  const files = await Array.fromAsync(glob('**/test/**/*.test.ts', { cwd: ROOT, exclude }));
  const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, file), 'utf8')));
  return files.filter((_file, at) => texts[at]?.includes('fc.assert(')).sort();
}

/** A seed of its own for each run, told so that the run can be had again. */
function anotherSeed(): NodeJS.ProcessEnv {
  const seed = String(randomInt(MAX_SEED));
  process.stderr.write(`${SEED_VARIABLE}=${seed}\n`);
  return { [SEED_VARIABLE]: seed };
}

/** What `npm run soak` runs, in order; each is a program of its own that fails by its exit code. */
const SOAKS: readonly Soak[] = [
  { name: 'simulator', program: 'engine/test/soak.ts', args: ['200000'] },
  { name: 'properties', program: 'test/run.ts', args: propertyTests, env: anotherSeed },
  { name: 'crashes', program: 'test/crash/soak.ts', args: ['processes'] },
  { name: 'crashes-in-containers', program: 'test/crash/soak.ts', args: ['containers'] },
  { name: 'states', program: 'test/crash/states-soak.ts', args: ['300'] },
  { name: 'identity-provider', program: 'test/access/outage.ts', args: [] },
];

async function run({ program, args, env }: Soak): Promise<number> {
  const given = typeof args === 'function' ? await args() : args;
  const child = spawn(process.execPath, ['--conditions=@weir/source', program, ...given], {
    cwd: ROOT,
    env: { ...process.env, ...env?.() },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** `npm run soak [name…]`: the long runs, all or the named ones. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => SOAKS.every((soak) => soak.name !== name));
  if (unknown.length > 0) throw new Error(`no such soak; there are ${SOAKS.map(({ name }) => name).join(', ')}`);
  for (const soak of SOAKS) {
    if (names.length > 0 && !names.includes(soak.name)) continue;
    process.stderr.write(`soak: ${soak.name}\n`);
    if ((await run(soak)) !== 0) process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
