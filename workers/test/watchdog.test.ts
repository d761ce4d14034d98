import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';

const WATCHDOG = new URL('../src/watchdog.ts', import.meta.url).href;
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

const folder = await mkdtemp(join(tmpdir(), 'weir-watchdog-'));
t.teardown(() => rm(folder, { recursive: true }));

/** Runs a program that is watched; beats are short, so that thirty of them are. */
async function watched(program: string, thread?: string) {
  const instead = thread === undefined ? '' : `, program: new URL('data:text/javascript,${thread}')`;
  const start = `import { startWatchdog } from '${WATCHDOG}';
    const onLost = (reason) => { console.log(reason); process.exitCode = 1; };
    const watchdog = startWatchdog({ onLost, beatMs: 10${instead} });
    ${program}`;
  const file = join(folder, 'program.mjs');
  await writeFile(file, start);
  const child = spawn(process.execPath, [...NODE_ARGS, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, code, signal };
}

t.test('a loop that does not turn is ended, and the reason is told', async (t) => {
  const end = await watched('setTimeout(() => { for (;;); }, 100);');
  t.equal(end.signal, 'SIGKILL');
  t.match(JSON.parse(end.stderr), { level: 'fatal', msg: /^the event loop has not turned/ });
});

t.test('a loop that turns is left alone, and stops with its watchdog', async (t) => {
  const end = await watched('setTimeout(() => watchdog.stop(), 1_000);');
  t.match(end, { code: 0, signal: null, stdout: '', stderr: '' });
});

t.test('a loop that is held up for less than the bound is left alone', async (t) => {
  const hold = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);';
  const end = await watched(`setTimeout(() => { ${hold} }, 50); setTimeout(() => watchdog.stop(), 400);`);
  t.match(end, { code: 0, signal: null, stderr: '' });
});

t.test('who is watched by nobody any more is told so once', async (t) => {
  const cases = [
    ['throw 1', 'the watchdog has failed'],
    ['process.exit()', 'the watchdog has ended'],
    ['for (;;);', 'the watchdog is stuck'],
  ] as const;
  for (const [thread, reason] of cases) {
    const end = await watched('setTimeout(() => watchdog.stop(), 800);', thread);
    t.match(end, { code: 1, signal: null, stdout: `${reason}\n` }, reason);
  }
});
