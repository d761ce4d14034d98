import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';

const WATCHDOG = new URL('../src/process/watchdog.ts', import.meta.url).href;
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

const folder = await mkdtemp(join(tmpdir(), 'weir-watchdog-'));
t.teardown(() => rm(folder, { recursive: true }));

/** As many beats as neither side misses on a busy machine, where a thread takes its time to start. */
const PATIENT = 300;

interface Watching {
  /** What is done at each beat, of which `beats` have been. */
  onBeat?: string;
  maxMissed?: number;
  /** The program of the thread. */
  thread?: string;
}

/** Runs a program that is watched until it is told that nobody watches, or stops; beats are short, so that thirty of them are. */
async function watched({ onBeat = '', maxMissed, thread }: Watching) {
  const instead = thread === undefined ? '' : `, program: new URL('data:text/javascript,${thread}')`;
  const missed = maxMissed === undefined ? '' : `, maxMissed: ${maxMissed}`;
  const start = `import { startWatchdog } from '${WATCHDOG}';
    let beats = 0;
    const stopLater = () => {
      let turns = 0;
      const turning = setInterval(() => { if (++turns === 30) { clearInterval(turning); watchdog.stop(); } }, 10);
    };
    const onLost = (reason) => { console.log(reason); process.exitCode = 1; stopLater(); };
    const onBeat = () => { beats += 1; ${onBeat} };
    const watchdog = startWatchdog({ onLost, onBeat, beatMs: 10${missed}${instead} });`;
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
  const end = await watched({ onBeat: 'if (beats === 10) for (;;);' });
  t.equal(end.signal, 'SIGKILL');
  t.match(JSON.parse(end.stderr), { level: 'fatal', msg: /^the event loop has not turned/ });
});

t.test('a loop that turns is left alone, and stops with its watchdog', async (t) => {
  const end = await watched({ onBeat: `if (beats === ${PATIENT + 30}) watchdog.stop();`, maxMissed: PATIENT });
  t.match(end, { code: 0, signal: null, stdout: '', stderr: '' });
});

t.test('a loop that is held up for less than the bound is left alone', async (t) => {
  const hold = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);';
  const onBeat = `if (beats === 100) ${hold} if (beats === 130) watchdog.stop();`;
  t.match(await watched({ onBeat, maxMissed: PATIENT }), { code: 0, signal: null, stderr: '' });
});

t.test('who is watched by nobody any more is told so once', async (t) => {
  const cases = [
    [{ thread: 'throw 1', maxMissed: PATIENT }, 'the watchdog has failed'],
    [{ thread: 'process.exit()', maxMissed: PATIENT }, 'the watchdog has ended'],
    [{ thread: 'for (;;);' }, 'the watchdog is stuck'],
  ] as const;
  for (const [watching, reason] of cases) {
    t.match(await watched(watching), { code: 1, signal: null, stdout: `${reason}\n` }, reason);
  }
});
