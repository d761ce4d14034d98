import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { watchChild, watchFor } from '@weir/processes';
import t from 'tap';
import { type FaultFolder, faultFolder } from '../../../test/crash/fault-folder.ts';
import { isRunning } from '../../../test/crash/process-tree.ts';
import { HASTY_MS, until } from '../../../test/until.ts';
import { startSync } from '../src/contract.ts';
import type { ReplayPlan } from '../src/model/process/replay-messages.ts';
import { runReplayChild } from '../src/work/quarantine/run-replay-child.ts';
import { ownAttempt } from './own-attempt.ts';
import { ok, testPlatform } from './platform.ts';
import { describedSource } from './ready-source.ts';

const HUNG = {
  name: 'RunFailed',
  failure: { code: 'sync_process_hung', origin: 'platform', retryable: true, hint: /\w/ },
};
const CONNECTOR = 'connector-connector-files-read';
const NOBODY = { started: () => undefined, ended: () => undefined };

t.test('a process hangs after a minute of silence, counted while we were there to listen', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const killed: string[] = [];
  const begun = () => Object.assign(new EventEmitter(), { kill: (signal: string) => killed.push(signal) });
  let hung = 0;
  const child = begun();
  watchChild(child as unknown as ChildProcess, () => {
    hung += 1;
  });
  mock.timers.tick(59_000);
  child.emit('message', { type: 'progress' });
  mock.timers.tick(59_000);
  t.same([hung, killed], [0, []], 'each of its messages begins the minute anew');
  mock.timers.tick(1_000);
  t.same([hung, killed], [1, ['SIGKILL']]);
  mock.timers.tick(600_000);
  t.equal(hung, 1, 'it is told once');
  const ended = begun();
  watchChild(ended as unknown as ChildProcess, () => t.fail('nobody listens to it any more'))();
  mock.timers.tick(600_000);
  t.equal(killed.length, 1);
});

t.test('the process of a replay that stands still is ended', async (t) => {
  let pid = 0;
  const children = {
    ...NOBODY,
    started(child: { pid: number }) {
      pid = child.pid;
      process.kill(pid, 'SIGSTOP');
    },
  };
  const { signal } = new AbortController();
  await t.rejects(runReplayChild({} as ReplayPlan, { children, signal, watch: watchFor(HASTY_MS) }), HUNG);
  await until('its end', async () => !isRunning(pid) || undefined);
});

t.test(
  'a sync process that stands still in mid-sync is ended with its connector, and the next attempt goes on',
  async (t) => {
    const platform = await testPlatform(t);
    const api = await platform.as('demo');
    const made = async (name: string, mode: { write_mode: 'append' | 'merge'; primary_key?: string[][] }) => {
      const data = join(platform.folder, name);
      await mkdir(data);
      await writeFile(join(data, 'rows.csv'), 'id,name\n1,Ann\n2,Bo\n');
      const body = { name, pattern_id: 'files', source_config: { path: data } };
      const properties = { id: { type: 'integer' }, name: { type: 'string' } };
      return describedSource(api, body, { name: 'rows', properties, sync_mode: 'incremental', ...mode });
    };
    const sources = [
      { first: 'S5', held: inStage, name: 'staged', sourceId: await made('staged', { write_mode: 'append' }) },
      {
        first: 'S7',
        held: inMerge,
        name: 'merged',
        sourceId: await made('merged', { write_mode: 'merge', primary_key: [['id']] }),
      },
    ] as const;
    const stopped = sources.map(async ({ name, first, held, sourceId }) => {
      const { run_id: runId } = ok(await api(startSync, { params: { source_id: sourceId }, query: { queue: true } }));
      const faults = await faultFolder(join(platform.folder, `faults-${name}`));
      await faults.arm(first);
      const standstill = { faults, held: () => held(faults) };
      const { end, begun } = await ownAttempt(platform, { runId, standstill });
      t.match(end, HUNG, `${name}: the attempt says so`);
      const names = begun.map((child) => child.name);
      t.ok(names.includes('sync') && names.includes(CONNECTOR), `a process and its connector had begun: ${names}`);
      const pids = begun.map(({ pid }) => pid);
      await until('the end of all', async () => !pids.some(isRunning) || undefined);
      t.match(await ownAttempt(platform, { runId }), { end: 'done' }, `${name}: the next attempt goes on`);
      const query = { columns: 'id', order: 'id' };
      const { rows } = ok(await api(previewDataset, { params: { dataset_id: `bronze.demo.${name}__rows` }, query }));
      t.same(rows.flat().map(Number), [1, 2], `${name}: every row once`);
    });
    await Promise.all(stopped);
  },
);

/** The pid of a process that is held before it types rows. */
function inStage(faults: FaultFolder): Promise<number> {
  return faults.held('S5');
}

/** The pid of one that is held while it merges: it has stored a file of typed rows, and is about to store the next. */
async function inMerge(faults: FaultFolder): Promise<number> {
  await faults.held('S7');
  await faults.arm('S6');
  await faults.release(['S7']);
  return faults.held('S6');
}
