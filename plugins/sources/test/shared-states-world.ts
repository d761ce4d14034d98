import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ConnectorProcess, SealedSegment } from '@weir/connector-runtime';
import { drive, streamsOf, syncMachine } from '@weir/engine';
import type { Kernel, Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { Producers, previewDataset, Tables } from '@weir/plugin-datasets/contract';
import { copyTokens } from '@weir/work';
import { PATIENT_MS } from '../../../test/until.ts';
import datasets from '../../datasets/src/plugin.ts';
import { childWork } from '../src/child/child-work.ts';
import { readSource } from '../src/child/read-source.ts';
import { createSource, createStream } from '../src/contract.ts';
import type { ChildPlan, FromChild } from '../src/model/process/messages.ts';
import { NO_ROWS, SyncRunEntity } from '../src/model/sync/entity.ts';
import plugin from '../src/plugin.ts';
import { attemptEffects } from '../src/work/sync/attempt-effects.ts';
import { syncLedger } from '../src/work/sync/ledger/sync-ledger.ts';
import { planSync, type SyncPlan } from '../src/work/sync/plan/plan-sync.ts';
import { noSchedules } from './no-schedules.ts';
import { ok } from './platform.ts';

type Test = Parameters<typeof testPlugin>[0];

/** A stream of a simulated source. */
export interface SharedStream {
  readonly name: string;
  readonly write: 'append' | 'merge' | 'overwrite';
}

/** Where an attempt is broken off: when a pointer is about to be made or to move for the nth time, and nothing moves. */
const POINTER_FAULTS = `
create schema fault;
create sequence fault.moved;
create table fault.break_off (at bigint);
insert into fault.break_off values (0);
create function fault.may_move() returns trigger language plpgsql security definer as $$
begin
  if nextval('fault.moved') = (select at from fault.break_off) then raise exception 'broken off'; end if;
  return new;
end $$;
create trigger may_move before insert or update on catalog.iceberg_tables for each row execute function fault.may_move();
grant usage on schema fault to public;`;

/**
 * Everything of a sync but its processes and its workflow: planning, reading, staging and committing on real tables. `more`
 * are settings of the tables that lie in a folder.
 */
export async function sharedStatesWorld(t: Test, more: (warehouse: string) => Promise<object> = async () => ({})) {
  const folder = await mkdtemp(join(tmpdir(), 'weir-states-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'warehouse'));
  const warehouse = join(folder, 'warehouse');
  const settings = {
    ...{ TABLE_CATALOG: 'weir', WEIR_WAREHOUSE: warehouse, WEIR_SWEEP_GRACE_HOURS: 24 },
    ...(await more(warehouse)),
  };
  let lake: ReturnType<typeof datasets.spec.setup> | undefined;
  const services = (kernel: Kernel) => {
    const use = () => ({ publish: async () => undefined });
    lake = datasets.spec.setup({ ...kernel, settings, use: use as never } as never);
    return [...(lake.services ?? []), noSchedules];
  };
  const entities = [...(plugin.spec.entities ?? []), ...(datasets.spec.entities ?? [])];
  const both = Object.assign(plugin.bind(undefined), plugin, { spec: { ...plugin.spec, entities } });
  const platform = { WEIR_PLATFORM: join(import.meta.dirname, '../../../platform.json') };
  const world = await testPlugin(t, both as typeof plugin, { tools, settings: platform, services });
  t.teardown(() => lake?.stop?.());
  await world.database.peek(POINTER_FAULTS);
  const tenant = (await world.tenant('demo')) as Tenant;
  const api = world.as('demo').call;
  const preview = lake?.routes.find(({ endpoint }) => endpoint.id === previewDataset.id)?.run as unknown as (
    input: object,
  ) => Promise<{ rows: unknown[][] }>;

  /** The rows that a table has in these columns; none of one that no commit has made yet. */
  const shown = async (dataset_id: string, columns: string): Promise<unknown[][]> => {
    const input = { tenant, params: { dataset_id }, query: { columns, limit: 500 }, mediaType: 'application/json' };
    const { rows } = await preview(input).catch((error: { code?: string }) => {
      if (error.code !== kernelProblems.notFound.entry.code) throw error;
      return { rows: [] };
    });
    return rows;
  };
  /** A source of these streams; all but the overwritten ones tell states. */
  const source = async (name: string, streams: readonly SharedStream[]) => {
    const body = { name, pattern_id: 'files', source_config: { path: folder } };
    const { source_id } = ok(await api(createSource, { body }));
    for (const { name, write } of streams) {
      const properties = { id: { type: 'integer' }, key: { type: 'integer' } };
      const body = {
        ...{ name, schema: { type: 'object', properties }, enabled: true, write_mode: write },
        sync_mode: write === 'overwrite' ? ('full_refresh' as const) : ('incremental' as const),
        supported_sync_modes: ['full_refresh', 'incremental'] as ('full_refresh' | 'incremental')[],
        ...{ source_defined_cursor: true, primary_key: [['key']] },
      };
      ok(await api(createStream, { params: { source_id }, body }));
    }
    return source_id;
  };
  const start = async (sourceId: string) => {
    const admitted = { kind: 'source-sync', warning: null };
    const run = { kind: 'source-sync', subjectId: sourceId, requestedBy: 'test', admitted };
    const { run_id } = await world.kernel.db(tenant).transaction(async (tx) => {
      const started = await world.kernel.runs.start(tx, run);
      const times = { createdAt: new Date(), updatedAt: new Date() };
      const own = { runId: started.run_id, sourceId, phase: 'waiting' as const, attempt: 0 };
      await tx.insert(SyncRunEntity, { ...own, ...NO_ROWS, ...times });
      return started;
    });
    return run_id;
  };
  return {
    ...{ ...world, tenant, source, start, folder },
    tables: world.kernel.use(Tables),
    shown,
    /** Ids and keys of the rows that a table has. */
    async rows(dataset_id: string) {
      return (await shown(dataset_id, 'id,key')).map(([id, key]): [number, number] => [Number(id), Number(key)]);
    },
    /** The next attempt is broken off at the nth move of a pointer from now; at none with 0. */
    async breakOffAt(nth: number): Promise<void> {
      const [row] = await world.database.peek("select nextval('fault.moved') as moved");
      await world.database.peek('update fault.break_off set at = $1', [nth === 0 ? 0 : Number(row?.moved) + nth]);
    },
  };
}

export type SharedStatesWorld = Awaited<ReturnType<typeof sharedStatesWorld>>;

/** What the connector says of the streams that it is asked for, from a state; undefined at its end where it crashes. */
export type Says = (plan: Pick<SyncPlan, 'catalog' | 'state'>) => { lines: readonly string[]; code: number };

type Perform = ReturnType<typeof attemptEffects>;

interface Attempted {
  runId: string;
  sourceId: string;
  says: Says;
  /** Comes before and after each effect of the attempt. */
  around?: (perform: Perform) => Perform;
  /** Lines of one stream that the run may reject. */
  maxRejected?: number;
}

/**
 * One attempt of a sync in this process, from its lease to its end: `done`, or how it failed. An attempt that is broken off
 * leaves what a killed one leaves: what was staged, and a lease that the next one takes.
 */
export async function attempt(
  { kernel, tables, tenant, folder }: SharedStatesWorld,
  { runId, sourceId, says, around = (perform) => perform, maxRejected = 0 }: Attempted,
): Promise<readonly string[]> {
  const lease = await kernel.runs.begin(tenant, runId);
  if (lease === undefined) throw new Error('the run has ended');
  const plan = await planSync({ kernel, tables, maxRejected }, tenant, { runId, sourceId, ...lease });
  const refused = plan.refused.map(({ failure }) => failure.code);
  const ledger = syncLedger(kernel, tables, { tenant, runId, ...lease }, plan);
  await ledger.open();
  const open = plan.streams.filter(({ complete }) => !complete);
  if (open.length === 0) return refused;
  const workDir = await mkdtemp(join(folder, 'attempt-'));
  for (const name of ['spool', 'stage']) await mkdir(join(workDir, name));
  const segments = new Map<number, SealedSegment>();
  const store = open[0]?.prepared.store ?? {};
  const work = await childWork({ plan: { runId, store }, segments, scratch: join(workDir, 'stage') });
  const connector = saying(says(plan));
  let isOver = false;
  const release = (id: number) => {
    segments.get(id)?.release();
    segments.delete(id);
  };
  const send = (message: FromChild) => {
    if (message.type === 'progress') ledger.progress(message.streams);
    if (message.type === 'noted') ledger.noted(message.streams);
    if (message.type !== 'event') return;
    const { event, notes } = message;
    if (event.type === 'sealed' && notes !== undefined)
      ledger.covered(event.segment.stream, event.segment.state, notes);
    driver.send(event);
    if (isOver) for (const id of segments.keys()) release(id);
  };
  const none = () => undefined;
  const driver = drive(
    syncMachine(open.map(({ engine }) => engine)),
    around(
      attemptEffects({
        ...{ kernel, tables, tenant, runId, sourceId, ledger, ...lease },
        producers: kernel.use(Producers),
        tokens: copyTokens(1),
        streams: new Map(open.map((stream) => [stream.row.streamId, stream])),
        log: { evolved: none, committed: none, stopping: none },
        child: { perform: work.perform, release, stop: () => void connector.stop() },
      }),
    ),
  );
  const times = { commitAfterMs: 0, connectorSilenceMs: PATIENT_MS };
  const childPlan = { workDir, secrets: [], config: '{}', ...times, lastPosition: plan.lastPosition };
  const reading = readSource({
    plan: { ...childPlan, streams: open.map(({ child }) => child) } as unknown as ChildPlan,
    ...{ connector, segments, send },
    log: { said: none, write: none, learn: none } as never,
  });
  const end = await driver.ended;
  isOver = true;
  for (const id of segments.keys()) release(id);
  await reading;
  work.close();
  if (end.failed !== undefined) return [...refused, end.failed.reported.code];
  const failures = streamsOf(end).flatMap(({ failure }) => failure ?? []);
  if (failures.length === 0) await ledger.conclude(open.map(({ row: { streamId } }) => ({ streamId })));
  return [...refused, ...failures.map((one) => ('rule' in one ? one.rule : one.reported.code))];
}

/** A connector that says these lines and ends with this code. */
function saying({ lines, code }: ReturnType<Says>): ConnectorProcess {
  const stdout = Readable.from(lines.map((line) => Buffer.from(`${line}\n`)));
  const exit = once(stdout, 'close').then(() => ({ code, signal: undefined, oomKilled: false, stopped: false }));
  const stop = () => {
    stdout.destroy();
    return exit.then((end) => ({ ...end, stopped: true }));
  };
  return { name: 'said', pid: undefined, stdout, stderrTail: () => '', exit, stop };
}
