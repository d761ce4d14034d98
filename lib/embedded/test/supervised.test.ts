import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { HASTY_MS, until } from '../../../test/until.ts';
import { supervise } from '../src/index.ts';

const LIBRARY = path.resolve(import.meta.dirname, '../src/index.ts');
const SLEEP = 'setInterval(() => {}, 1000)';
const DEAF = `process.on('SIGTERM', () => {}); ${SLEEP}; console.log('deaf')`;
/** Resolves once no process has the id. */
const gone = (pid: number) => until('the end of a child', () => isGone(pid), 'often');

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

/**
 * A process that supervises a sleeping child, runs `before`, prints the child's pid, and runs `after`. The test runner
 * loads `signal-exit` into it, as many libraries do.
 */
async function parentOfSleeper(
  t: Test,
  { before = '', after = '', options = '' } = {},
): Promise<{ parent: ChildProcess; child: number }> {
  const logFile = path.join(t.testdir(), 'log');
  const program = `
    const { supervise } = await import(${JSON.stringify(LIBRARY)});
    const child = await supervise({ name: 'sleeper', command: process.execPath, args: ['-e', ${JSON.stringify(SLEEP)}],
      logFile: ${JSON.stringify(logFile)}, ${options} });
    ${before};
    process.stdout.write(child.pid + '\\n', () => { ${after} });`;
  const flags = ['--conditions=@weir/source', '--input-type=module', '-e'];
  const parent = spawn(process.execPath, [...flags, program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = (await once(parent.stdout, 'data')) as [Buffer];
  const child = Number(said.toString());
  t.teardown(() => {
    parent.kill('SIGKILL');
    if (!isGone(child)) process.kill(child, 'SIGKILL');
  });
  return { parent, child };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  t.test(`a parent that ${signal} ends leaves no child behind`, async (t) => {
    const { parent, child } = await parentOfSleeper(t);
    const exit = once(parent, 'exit');
    parent.kill(signal);
    t.ok((await exit)[0] > 128, 'and exits as a signal does');
    await gone(child);
  });
}

t.test('a parent that handles the signal itself ends in its own time, and then no child is left', async (t) => {
  const before = `process.on('SIGTERM', () => {
    process.stdout.write('heard');
    process.stdin.once('data', () => process.exit(7));
  })`;
  const { parent, child } = await parentOfSleeper(t, { before });
  const exit = once(parent, 'exit');
  parent.kill('SIGTERM');
  await once(parent.stdout as Readable, 'data');
  parent.stdin?.end('enough');
  t.equal((await exit)[0], 7);
  await gone(child);
});

t.test('a parent that exits leaves no child behind', async (t) => {
  const { child } = await parentOfSleeper(t, { after: 'process.exit(0)' });
  await gone(child);
});

t.test('a child that may outlive its parent lets it end and runs on', async (t) => {
  const { parent, child } = await parentOfSleeper(t, { options: 'outlivesParent: true' });
  if (parent.exitCode === null) await once(parent, 'exit');
  t.notOk(isGone(child));
});

t.test('a child that does not listen is killed after the grace, and two stops are one', async (t) => {
  const logFile = path.join(t.testdir(), 'log');
  const child = await supervise({ name: 'deaf', command: process.execPath, args: ['-e', DEAF], logFile });
  await until('its log', async () => (await readFile(logFile, 'utf8')).includes('deaf'), 'often');
  const [first, second] = await Promise.all([child.stop('SIGTERM', HASTY_MS), child.stop()]);
  t.strictSame(first, { code: undefined, signal: 'SIGKILL' });
  t.equal(first, second);
});

t.test('a program that is told nothing → knows no setting or secret of its parent, but its paths', async (t) => {
  const logFile = path.join(t.testdir(), 'log');
  process.env.WEIR_CANARY = 'of-the-parent';
  t.teardown(() => void delete process.env.WEIR_CANARY);
  const args = ['-e', 'console.log(JSON.stringify(process.env))'];
  await (await supervise({ name: 'teller', command: process.execPath, args, logFile })).exited;
  const told = JSON.parse(await readFile(logFile, 'utf8'));
  t.match(told, { PATH: process.env.PATH });
  t.strictSame(
    Object.keys(told).filter(
      (name) => !/^(PATH|HOME|TMPDIR|LANG|LC_ALL|TZ|NODE_COMPILE_CACHE|LD_LIBRARY_PATH)$/.test(name),
    ),
    [],
  );
});

t.test('a program that is not there is a fault with its name', async (t) => {
  const start = supervise({
    name: 'ghost',
    command: '/nowhere/ghost',
    args: [],
    logFile: path.join(t.testdir(), 'log'),
  });
  await t.rejects(start, /cannot start ghost \(\/nowhere\/ghost\)/);
});
