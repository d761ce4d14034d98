import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { inLane } from '../../../test/lane.ts';
import { folderWarehouse, warehouseFaults } from '../../../test/warehouse-files.ts';
import { sourceFailure } from '../src/model/failure/failure.ts';
import { type GrowingSource, rowsWanted, says } from './said-states.ts';
import {
  attempt,
  type Says,
  type SharedStatesWorld,
  type SharedStream,
  sharedStatesWorld,
} from './shared-states-world.ts';

/** Each has up to three attempts: two hundred would cost more than they show beside those of the tables themselves. */
const CASES = inLane('one-commit') ? 2_000 : 60;
/** Rows that the table of a stream has before, where it is there. */
const BEFORE = 2;
/** Where an attempt ends before its time: the process is gone, or what it asks for is refused. */
const fault = fc.oneof(
  fc.constant({ at: 'none' as const }),
  fc.record({ at: fc.constant('connector' as const), share: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
  fc.record({ at: fc.constant('effect' as const), nth: fc.integer({ min: 1, max: 8 }), isAfter: fc.boolean() }),
  fc.record({ at: fc.constant('pointer' as const), nth: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ at: fc.constant('lease' as const), nth: fc.integer({ min: 1, max: 6 }) }),
  // Another writer makes the table, or gives it a column, between the plan of the attempt and its commit.
  fc.record({ at: fc.constant('grown' as const), nth: fc.integer({ min: 1, max: 6 }) }),
);
const scene = fc.record({
  isNew: fc.boolean(),
  write: fc.constantFrom('append' as const, 'merge' as const, 'overwrite' as const),
  rows: fc.nat({ max: 3 }),
  /** A column that the stream has from now on, one that only its rows have, one of another type, and a line that is rejected. */
  ...{ column: fc.boolean(), member: fc.boolean(), type: fc.boolean(), reject: fc.boolean() },
  fault,
  seed: fc.nat(),
});
type Scene = typeof scene extends fc.Arbitrary<infer S> ? S : never;
type Around = NonNullable<Parameters<typeof attempt>[1]['around']>;

/** What the catalog has of a table and of its rejected lines; a pointer names the columns as well. */
const pointersOf = ({ database }: SharedStatesWorld, table: string) =>
  database.peek(
    `select table_namespace || '.' || table_name as id, metadata_location from catalog.iceberg_tables
     where table_namespace || '.' || table_name in ($1, $1 || '__quarantine') order by 1`,
    [table],
  );

/** What the connector says, with another member in each row and a rejected line. */
function saidBy(source: GrowingSource, { seed, member, reject, fault }: Scene): Says {
  const plain = says(source, seed, fault.at === 'connector' ? fault.share : 1);
  return (plan) => {
    const { lines, code } = plain(plan);
    const rejected = { type: 'RECORD', record: { stream: 's0', data: null, emitted_at: 1 } };
    const more = lines.map((line) => {
      const said = JSON.parse(line) as { type: string; record?: { data: object } };
      if (!member || said.record === undefined) return line;
      return JSON.stringify({ ...said, record: { ...said.record, data: { ...said.record.data, late: 'x' } } });
    });
    return { lines: reject ? [JSON.stringify(rejected), ...more] : more, code };
  };
}

const refOf = ({ tables, tenant }: SharedStatesWorld, table: string) =>
  tables.bronze(tenant, table.slice(table.lastIndexOf('.') + 1));

/** Watches that no pointer moves but by a commit that is answered, and lets one effect fail. */
async function watched(t: Test, world: SharedStatesWorld, { scene: { fault }, table }: Omit<Judged, 'source'>) {
  let last = await pointersOf(world, table);
  let performed = 0;
  const gone = { type: 'failed' as const, failure: sourceFailure('sync_process_lost') };
  const around =
    (runId: string): Around =>
    (perform) =>
    async (effect) => {
      if (effect.type === 'release') return perform(effect);
      performed += 1;
      const isHit = 'nth' in fault && performed === fault.nth;
      if (fault.at === 'effect' && isHit && !fault.isAfter) return gone;
      if (fault.at === 'lease' && isHit) await world.kernel.runs.begin(world.tenant, runId);
      if (fault.at === 'grown' && isHit) {
        await world.tables.prepare(world.tenant, refOf(world, table), { properties: { other: { type: 'integer' } } });
        last = await pointersOf(world, table);
      }
      const answer = await perform(effect);
      const now = await pointersOf(world, table);
      if (answer?.type === 'committed') last = now;
      else t.strictSame(now, last, `not by ${effect.type}`);
      return fault.at === 'effect' && isHit && answer !== undefined ? gone : answer;
    };
  return { around, unmoved: async () => t.strictSame(await pointersOf(world, table), last, 'not by what has failed') };
}

/** Gives the stream of a source the columns and types that it has from now on. */
async function describe({ database }: SharedStatesWorld, sourceId: string, { column, type, member }: Scene) {
  const properties = {
    ...{ id: { type: 'integer' }, key: { type: type ? 'string' : 'integer' } },
    ...(column && { more: { type: 'string' } }),
  };
  await database.peek('update sources.stream set json_schema = $2, schema_change_policy = $3 where source_id = $1', [
    sourceId,
    { type: 'object', properties },
    member ? 'evolve' : 'capture',
  ]);
}

/** The table after a run that has ended well: its rows, its columns, and its rejected lines in a table of their own. */
async function judge(t: Test, world: SharedStatesWorld, { scene, source, table }: Judged) {
  const [stream] = source.streams;
  const names = (await pointersOf(world, table)).map(({ id }) => id);
  const wantedNames = [table, ...(scene.reject ? [`${table}__quarantine`] : [])];
  t.strictSame(names, wantedNames, 'a run that ends well leaves the table, also without rows');
  const { schema } = await world.tables.prepare(world.tenant, refOf(world, table), {}, { at: 'commit' });
  const columns = (schema as { fields: { name: string }[] }).fields.map(({ name }) => name);
  t.equal(columns.includes('more'), scene.column);
  const size = source.sizes.get('s0') ?? 0;
  const read = scene.write === 'overwrite' ? size : scene.rows;
  t.equal(columns.includes('late'), scene.member && read > 0);
  const wanted = rowsWanted(stream as SharedStream, size);
  const ids = (rows: [number, number][]) => rows.map(([id]) => id).sort();
  t.strictSame(ids(await world.rows(table)), ids(wanted), 'each row once');
}

interface Judged {
  scene: Scene;
  source: GrowingSource;
  table: string;
}

t.test('the tables of a sync change by its commits and by nothing else, whatever fails', async (t) => {
  const world = await sharedStatesWorld(t);
  let made = 0;
  const property = async (scene: Scene) => {
    made += 1;
    const streams = [{ name: 's0', write: scene.write }];
    const source: GrowingSource = { kind: 'STREAM', streams, sizes: new Map() };
    const sourceId = await world.source(`law${made}`, streams);
    const table = `bronze.demo.law${made}__s0`;
    if (!scene.isNew) {
      source.sizes.set('s0', BEFORE);
      const runId = await world.start(sourceId);
      t.strictSame(await attempt(world, { runId, sourceId, says: says(source, scene.seed, 1) }), []);
      await world.kernel.runs.finish(world.tenant, runId, { status: 'succeeded' });
    }
    source.sizes.set('s0', (source.sizes.get('s0') ?? 0) + scene.rows);
    await describe(world, sourceId, scene);
    const runId = await world.start(sourceId);
    const { around, unmoved } = await watched(t, world, { scene, table });
    await world.breakOffAt(scene.fault.at === 'pointer' ? scene.fault.nth : 0);
    const first = { runId, sourceId, says: saidBy(source, scene), around: around(runId), maxRejected: 9 };
    await attempt(world, first);
    await unmoved();
    await world.breakOffAt(0);
    const again = saidBy(source, { ...scene, fault: { at: 'none' } });
    t.strictSame(await attempt(world, { runId, sourceId, says: again, maxRejected: 9 }), []);
    await world.kernel.runs.finish(world.tenant, runId, { status: 'succeeded' });
    await judge(t, world, { scene, source, table });
  };
  await fc.assert(fc.asyncProperty(scene, property), { numRuns: CASES });
  const warehouse = folderWarehouse(join(world.folder, 'warehouse'));
  t.strictSame(await warehouseFaults(world.database.peek, warehouse), { unnamed: [], absent: [] });
});
