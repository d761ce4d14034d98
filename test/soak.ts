import { spawn } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

/** A program that runs for long, and how it is told how long. */
interface Soak {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** What `npm run soak` runs, in order; each is a program of its own that fails by its exit code. */
const SOAKS: readonly Soak[] = [
  { name: 'simulator', program: 'engine/test/soak.ts', args: ['200000'] },
  { name: 'crashes', program: 'test/crash/soak.ts', args: ['processes'] },
  { name: 'crashes-in-containers', program: 'test/crash/soak.ts', args: ['containers'] },
  { name: 'states', program: 'test/crash/states-soak.ts', args: ['300'] },
  { name: 'identity-provider', program: 'test/access/outage.ts', args: [] },
];

function run({ program, args }: Soak): Promise<number> {
  const child = spawn(process.execPath, ['--conditions=@weir/source', program, ...args], {
    cwd: ROOT,
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
