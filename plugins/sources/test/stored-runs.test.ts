import { Producers } from '@weir/plugin-datasets/contract';
import type { RunLogEntry } from '@weir/plugin-platform/contract';
import { beginInLane } from '@weir/work';
import t from 'tap';
import { v7 as uuidv7 } from 'uuid';
import { DiscoveryEntity } from '../src/model/discovery/entity.ts';
import type { Pattern } from '../src/model/pattern/pattern-file.ts';
import { DISCOVERY_KIND } from '../src/model/run-kinds.ts';
import { keptStream, newStream } from '../src/model/stream/new-stream.ts';
import { LOOK_LIFE_MS, sweepConfigs } from '../src/service/discovery/sweep-configs.ts';
import { insertStreams } from '../src/service/stream/write-streams.ts';
import { finishDiscovery } from '../src/work/discovery/run-discovery.ts';
import { sharedStatesWorld } from './shared-states-world.ts';

const FOUND = {
  ...{ name: 'rows', namespace: null, schema: {}, supported_sync_modes: ['full_refresh' as const], discovered: {} },
  ...{ source_defined_cursor: false, default_cursor_field: null, source_defined_primary_key: null },
};

const LANES = 3;
const SYNCS = 12;

const { kernel, tenant, source, database, tables } = await sharedStatesWorld(t);
const sourceId = await source('shop', []);

/** Starts a discovery of the source that waits for a worker. */
async function pending(): Promise<string> {
  await database.peek("update sources.source set status = 'discovering'");
  const { kind } = DISCOVERY_KIND;
  const run = { kind, subjectId: sourceId, requestedBy: 'test', admitted: { kind, warning: null } };
  return kernel.db(tenant).transaction(async (tx) => {
    const { run_id: runId } = await kernel.runs.start(tx, run);
    const own = { runId, discoveryId: sourceId, sourceId, patternId: 'files', createdAt: new Date() };
    await tx.insert(DiscoveryEntity, { ...own, applies: true, phase: 'waiting', streams: [FOUND] });
    return runId;
  });
}

t.test('a pending discovery that is cancelled ends at once, and its source knows', async (t) => {
  const runId = await pending();
  const run = await kernel.runs.find(tenant, runId);
  if (run === undefined) throw new Error('the run is not there');
  t.equal(await kernel.runs.cancel(tenant, run), 'cancelled');
  t.strictSame(await database.peek('select status from sources.source'), [{ status: 'draft' }]);
});

t.test('a configuration and its credentials are shredded when they expire', async (t) => {
  const expiresAt = new Date('2026-01-01T01:00:00Z');
  const runId = await pending();
  const given = "set source_config = '{}', sealed = 'sealed', expires_at = $2";
  await database.peek(`update sources.discovery ${given} where run_id = $1`, [runId, expiresAt]);
  const kept = 'select source_config, sealed is null as shredded from sources.discovery where run_id = $1';
  await sweepConfigs(kernel, tenant, expiresAt);
  t.strictSame(await database.peek(kept, [runId]), [{ source_config: {}, shredded: false }]);
  await sweepConfigs(kernel, tenant, new Date(expiresAt.getTime() + 1));
  t.strictSame(await database.peek(kept, [runId]), [{ source_config: null, shredded: true }]);
  await kernel.runs.finish(tenant, runId, { status: 'cancelled' });
});

t.test('what a discovery has shown of rows → kept for a day and no longer', async (t) => {
  const runId = await pending();
  const createdAt = new Date('2026-01-01T01:00:00Z');
  const given = "set looks = '[]', created_at = $2";
  await database.peek(`update sources.discovery ${given} where run_id = $1`, [runId, createdAt]);
  const kept = 'select looks is null as removed from sources.discovery where run_id = $1';
  await sweepConfigs(kernel, tenant, new Date(createdAt.getTime() + LOOK_LIFE_MS));
  t.strictSame(await database.peek(kept, [runId]), [{ removed: false }]);
  await sweepConfigs(kernel, tenant, new Date(createdAt.getTime() + LOOK_LIFE_MS + 1));
  t.strictSame(await database.peek(kept, [runId]), [{ removed: true }]);
  await kernel.runs.finish(tenant, runId, { status: 'cancelled' });
});

t.test('what a connector writes within its description is kept, whatever it is', async (t) => {
  const odd = { type: 'object', properties: { id: { description: 'half \ud800, nothing \u0000, \\u0000, "{},' } } };
  const described = { name: 'odd', json_schema: odd };
  const stream = { ...keptStream({ name: 'odd', schema: odd }, null), discovered: described };
  const row = newStream(stream, { sourceId, table: 'odd' }, new Date());
  await kernel.db(tenant).transaction((tx) => insertStreams(tx, [row]));
  const stored = await database.peek("select json_schema, discovered::text from sources.stream where name = 'odd'");
  t.strictSame(stored, [{ json_schema: odd, discovered: JSON.stringify(described) }]);
  await database.peek('delete from sources.stream');
});

t.test('a discovery whose streams cannot be stored has failed, and its log says nothing else on the way', async (t) => {
  const begun = async () => {
    const runId = await pending();
    await kernel.runs.begin(tenant, runId);
    return runId;
  };
  /** The end of a discovery whose attempt went well, and the lines that were told of it meanwhile. */
  const ended = async (runId: string) => {
    const told: unknown[] = [];
    const write = ({ step, fields }: RunLogEntry) => void told.push([step, fields?.status]);
    const runLogs = { open: () => ({ write, take: async () => undefined, close: async () => undefined }) };
    const producers = kernel.use(Producers);
    const patterns = { of: async () => ({ stream_defaults: { write_mode: 'append' } }) as Pattern };
    const deps = { kernel, tables, producers, patterns, runLogs };
    await finishDiscovery(deps, { tenant, runId, outcome: { status: 'succeeded' } });
    const run = await kernel.runs.find(tenant, runId);
    return { told, status: run?.status, code: run?.failure?.code };
  };

  await database.peek('alter table sources.stream add constraint none_is_stored check (false) not valid');
  const failed = await begun();
  t.match(await ended(failed), { told: [['end', 'failed']], status: 'failed', code: 'run_failed' });
  t.match(await ended(failed), { told: [], status: 'failed' }, 'a run that has ended is told of no more');
  await database.peek('alter table sources.stream drop constraint none_is_stored');
  t.match(await ended(await begun()), { told: [['end', 'succeeded']], status: 'succeeded', code: undefined });
  const stored = await database.peek('select name, enabled, sync_mode, write_mode from sources.stream');
  const wanted = { name: 'rows', enabled: false, sync_mode: 'full_refresh', write_mode: 'append' };
  t.strictSame(stored, [wanted], 'as its pattern wants new streams to be');
});

t.test('of the syncs of one tenant no more begin than it has lanes, in the order of their starts', async (t) => {
  const { runs } = kernel;
  const started: string[] = [];
  for (let made = 0; made < SYNCS; made += 1) {
    const run = {
      kind: 'source-sync',
      subjectId: uuidv7(),
      requestedBy: 'ada',
      admitted: { kind: 'source-sync', warning: null },
    };
    started.push((await kernel.db(tenant).transaction((tx) => runs.start(tx, run))).run_id);
  }
  const enter = (runId: string) => beginInLane({ runs }, tenant, { runId, kinds: ['source-sync'], lanes: LANES });
  for (let round = 0; round < SYNCS / LANES; round += 1) {
    const taken = await Promise.all(started.map(enter));
    const first = round * LANES;
    const began = started.filter((_, at) => typeof taken[at] === 'object');
    t.strictSame(began, started.slice(first, first + LANES), 'the three that have waited longest');
    t.match(await enter(started[first] ?? ''), { leaseEpoch: 2 }, 'another attempt has its lane');
    for (const runId of began) await runs.finish(tenant, runId, { status: 'succeeded' });
  }
  t.equal(await enter(started[0] ?? ''), undefined, 'a run that has ended takes none');
});
