import t from 'tap';
import { workFolders } from '../../../work/src/work-folders.ts';
import { sourceFailures } from '../src/model/failure/failure-of.ts';
import { ReplayEntity } from '../src/model/quarantine/entity.ts';
import { REPLAY_KIND } from '../src/model/run-kinds.ts';
import { type ReplayDeps, replaying } from '../src/work/quarantine/run-replay.ts';
import { attempt, type SharedStatesWorld, sharedStatesWorld } from './shared-states-world.ts';

const TABLE = 'bronze.demo.shop__orders';
const none = () => undefined;

/** Starts a replay of all rejected lines of the only stream, and answers how to carry out its next attempt. */
async function replayOf(world: SharedStatesWorld, sourceId: string) {
  const { kernel, tenant, tables, database, folder } = world;
  const [stream] = await database.peek('select stream_id from sources.stream');
  const run = { kind: REPLAY_KIND.kind, subjectId: sourceId, requestedBy: 'test' };
  const { run_id: runId } = await kernel.db(tenant).transaction(async (tx) => {
    const started = await kernel.runs.start(tx, { ...run, admitted: { kind: run.kind, warning: null } });
    const request = { dataset_id: TABLE, run_id: null, reasons: null };
    const own = { runId: started.run_id, streamId: String(stream?.stream_id), request, createdAt: new Date() };
    await tx.insert(ReplayEntity, own);
    return started;
  });
  const log = { write: none, take: async () => undefined, close: async () => undefined };
  const deps = {
    ...{
      kernel,
      tables,
      failures: sourceFailures,
      runLogs: { open: () => log },
      spare: { drop: async () => undefined },
    },
    ...{ children: { started: none, ended: none }, folders: workFolders(folder, none) },
  };
  const next = () =>
    replaying.attempt(deps as unknown as ReplayDeps, { tenant_id: tenant.tenantId, run_id: runId }).then(
      () => 'done',
      () => 'failed',
    );
  return { next };
}

t.test('a replay meets a new member → the column comes with its commit, and the rows have their values', async (t) => {
  const world = await sharedStatesWorld(t);
  const sourceId = await world.source('shop', [{ name: 'orders', write: 'merge' }]);
  const record = (data: object) =>
    JSON.stringify({ type: 'RECORD', record: { stream: 'orders', data, emitted_at: 1 } });
  const stream_status = { stream_descriptor: { name: 'orders' }, status: 'COMPLETE' };
  const end = JSON.stringify({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status } });
  // The second line has no key, so it is rejected.
  const lines = [record({ id: 1, key: 1 }), record({ id: 7, note: 'Müller & Söhne' }), end];
  const runId = await world.start(sourceId);
  const says = () => ({ lines, code: 0 });
  t.strictSame(await attempt(world, { runId, sourceId, says, maxRejected: 9 }), []);
  await world.kernel.runs.finish(world.tenant, runId, { status: 'succeeded' });
  await world.database.peek(`update sources.stream set primary_key = '[["id"]]', schema_change_policy = 'evolve'`);

  const columns = async () => {
    const ref = world.tables.bronze(world.tenant, 'shop__orders');
    const { schema } = await world.tables.prepare(world.tenant, ref, {}, { at: 'commit' });
    return (schema as { fields: { name: string }[] }).fields.map(({ name }) => name);
  };
  const { next } = await replayOf(world, sourceId);
  await world.breakOffAt(1);
  t.equal(await next(), 'failed');
  t.notOk((await columns()).includes('note'), 'not by an attempt that fails');
  await world.breakOffAt(0);
  t.equal(await next(), 'done');
  t.ok((await columns()).includes('note'));
  t.strictSame((await world.shown(TABLE, 'id,note')).sort(), [
    ['1', null],
    ['7', 'Müller & Söhne'],
  ]);
});
