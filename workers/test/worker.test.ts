import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { readCapacity } from '../src/process/capacity.ts';
import { processState, type WorkerRecord } from '../src/process/process-state.ts';

t.test('the capacity of a role has the defaults of the specification', async (t) => {
  t.strictSame(readCapacity('source', {}), {
    activityWorkers: 8,
    activities: 8,
    workflowTasks: 100,
    activityPolls: 5,
    workflowPolls: 5,
  });
  t.match(readCapacity('source', { WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITIES: '3' }), { activities: 3 });
});

t.test('more activity slots than children are refused by name', async (t) => {
  const environment = { WORKFLOW_SOURCE_ACTIVITY_MAX_WORKERS: '2' };
  try {
    readCapacity('source', environment);
    t.fail('it is refused');
  } catch (error) {
    t.match((error as { faults?: string[] }).faults, [
      /MAX_CONCURRENT_ACTIVITIES is 8, more than .*ACTIVITY_MAX_WORKERS/,
    ]);
  }
  t.throws(() => readCapacity('source', { WORKFLOW_SOURCE_ACTIVITY_MAX_WORKERS: 'many' }), {
    message: /configuration/,
  });
});

t.test('the program refuses to start with one line and exit 78', async (t) => {
  const start = async (args: string[], env: Record<string, string>) => {
    const program = join(import.meta.dirname, '../src/main.ts');
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(
      process.execPath,
      ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', program, ...args],
      {
        env: { PATH, NODE_COMPILE_CACHE, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    const [code] = await once(child, 'close');
    return { code, lines: text.trim().split('\n') };
  };
  const slots = await start(['--roles', 'source'], { WORKFLOW_SOURCE_ACTIVITY_MAX_WORKERS: '1' });
  t.equal(slots.code, 78);
  t.equal(slots.lines.length, 1);
  t.match(slots.lines[0], /ACTIVITY_MAX_WORKERS/);
  const none = await start([], {});
  t.match(none, { code: 78, lines: [/--roles/] });
});

t.test('the state file names the living children, and goes with its worker', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-state-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const ended = spawn(process.execPath, ['-e', '0']);
  await once(ended, 'exit');
  writeFileSync(join(folder, `worker-${ended.pid}.json`), '{}');
  const state = processState(folder, { roles: ['source'], queues: ['q'] }, (error) => {
    throw error;
  });
  t.strictSame(readdirSync(folder), [], 'nothing is told before the loop turns');
  state.beat([]);
  t.strictSame(readdirSync(folder), [`worker-${process.pid}.json`], 'the file of a dead worker is removed');
  state.started({ name: 'sync', pid: 5, parent: process.pid });
  state.started({ name: 'connector', pid: 6, parent: 5 });
  state.ended(5);
  const { beat_ns: beat, ...record } = JSON.parse(readFileSync(join(folder, `worker-${process.pid}.json`), 'utf8'));
  t.ok(BigInt(beat) <= process.hrtime.bigint());
  t.strictSame(record, {
    pid: process.pid,
    roles: ['source'],
    queues: ['q'],
    children: [{ name: 'connector', pid: 6, parent: 5 }],
    workers: [],
  });
  state.close();
  t.strictSame(readdirSync(folder), []);
});

t.test('a state file that cannot be written is told of once, and ends nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-state-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const told: unknown[] = [];
  const state = processState(folder, { roles: ['source'], queues: ['q'] }, (error) => told.push(error));
  const file = join(folder, `worker-${process.pid}.json`);
  const childrenIn = () => (JSON.parse(readFileSync(file, 'utf8')) as WorkerRecord).children.map(({ pid }) => pid);
  const fill = () => symlinkSync('/dev/full', `${file}.draft`);
  const free = () => rmSync(`${file}.draft`, { force: true });
  state.started({ name: 'sync', pid: 5, parent: process.pid });
  fill();
  state.started({ name: 'sync', pid: 6, parent: process.pid });
  state.ended(5);
  state.beat([]);
  t.match(told, [{ code: 'ENOSPC' }]);
  t.equal(told.length, 1);
  t.strictSame(childrenIn(), [5], 'what stood there stays, with its old beat');
  free();
  state.beat([]);
  t.strictSame(childrenIn(), [6], 'when there is room again it says all that it would have said');
  fill();
  state.beat([]);
  t.equal(told.length, 2, 'the next time is told of too');
  free();

  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'in the place of the folder');
  state.beat([]);
  state.close();
});
