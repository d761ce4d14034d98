import { getRun } from '@weir/plugin-runs/contract';
import t, { type Test } from 'tap';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { until } from '../../../test/until.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

const RAW = 'silver.acme.raw';
const DAYS = 'gold.acme.days';
const TWIN = 'gold.acme.twin';
const SQL = `select day, kind, sum(v)::int as v from ${RAW} group by day, kind`;
const NAMED = "Müller & Söhne's";

const values = (rows: readonly (readonly [day: number | null, kind: string, v: number])[]) => {
  const texts = rows.map(([day, kind, v]) => {
    const date = day === null ? 'null' : `date '2026-01-0${day}'`;
    return `(${date}, '${kind.replaceAll("'", "''")}', ${v})`;
  });
  return `select day, kind, v from (values ${texts.join(', ')}) e(day, kind, v)`;
};
const FIRST = values(
  [1, 2, 3, 4]
    .flatMap((day) => [[day, 'a', day] as const, [day, NAMED, 10 * day] as const])
    .concat([[null, 'a', 7]] as never),
);
/** Every sum is another one; partitions went, one of them without a day, and one came. */
const SECOND = values([
  ...([
    [1, 'a', 100],
    [1, NAMED, 101],
    [2, NAMED, 102],
    [3, 'a', 103],
    [3, NAMED, 104],
  ] as const),
  ...([
    [3, 'c', 105],
    [4, 'a', 106],
    [4, NAMED, 107],
  ] as const),
]);

const isOf = (chosen: readonly string[]) => (row: string) => chosen.some((day) => row.startsWith(day));
const ofDays = (all: readonly string[], chosen: readonly string[]) => all.filter(isOf(chosen));
const others = (all: readonly string[], chosen: readonly string[]) => all.filter((row) => !isOf(chosen)(row));

/** A table in partitions whose input has other rows since, and `rebuilt`: what a rebuild of all would make of it. */
async function partitionWorld(t: Test) {
  const world = await runWorld(t);
  const { ok, hydrated, materialized, rows, database, platform, folder } = world;
  const faults = await faultFolder(`${folder}/faults`);
  const environment = { ...world.environment, WEIR_FAULTPOINTS: faults.path };
  const worker = await startWorker(t, environment, 'transform');
  const kill = async () => {
    await worker.end('SIGKILL');
    await faults.clear();
    await startWorker(t, environment, 'transform');
  };
  const raw = await hydrated('raw', FIRST, RAW);
  const how = { materialization: 'partition_overwrite', partition_by: ['day', 'kind'], incremental: RAW };
  // One row more, and a partition that is to be emptied was counted.
  const checks = [{ name: 'few', kind: 'row_count', max: 9 }];
  const days = await hydrated('days', SQL, DAYS, { ...how, checks });
  const twin = await hydrated('twin', SQL, TWIN);
  for (const one of [raw, days, twin]) await materialized(one);
  const sorted = async (table: string) => (await rows(table)).map((row) => row.join(' ')).toSorted();
  const before = await sorted(DAYS);
  await ok(endpoints.changeTransform, { params: raw, body: { sql: SECOND } });
  await ok(endpoints.hydrateTransform, { params: raw });
  for (const one of [raw, twin]) await materialized(one);
  const rebuilt = await sorted(TWIN);

  const groups = platform.plugins
    .flatMap(({ registration }) => registration.services ?? [])
    .find(({ id }) => id === endpoints.Groups.id)?.implementation as endpoints.GroupsService;
  const tenant = await database.tenant('acme');
  const start = (partitions: endpoints.PartitionChoice, publish: endpoints.PublishMode) => {
    const { transform_id: id } = days;
    const asked = { kind: 'materialization', subjectId: id, requestedBy: 'ada', publish };
    return groups.start(tenant, { ...asked, steps: [{ stepId: 'days', transformId: id, partitions }] });
  };
  const ended = async ({ run_id: id }: { run_id: string }) => {
    await until('the end of a whole', async () => (await ok(getRun, { params: { id } })).is_terminal);
    return (await groups.steps(tenant, id))[0];
  };
  const marks = () =>
    database.peek(
      'select key, state::text as at from datasets.checkpoint union select reader, snapshot_id::text from datasets.input_mark order by 1',
    );
  const pointer = async () =>
    (await database.peek("select metadata_location from catalog.iceberg_tables where table_name = 'days'"))[0];
  return { materialized, faults, kill, days, sorted, before, rebuilt, start, ended, marks, pointer };
}

t.test('some partitions of a table → each as a rebuild of all gives it, and no other one', async (t) => {
  const world = await partitionWorld(t);
  const { materialized, faults, kill, days, sorted, before, rebuilt, start, ended, marks, pointer } = world;
  const known = await marks();
  const range = { column: 'day', from: '2026-01-02', to: '2026-01-04' };
  t.match(await ended(await start(range, 'together')), { status: 'succeeded', reason: 'backfill', rows: '4' });
  const inRange = ['2026-01-02', '2026-01-03'];
  const half = await sorted(DAYS);
  t.strictSame(ofDays(half, inRange), ofDays(rebuilt, inRange));
  t.strictSame(others(half, inRange), others(before, inRange));
  t.strictSame(await marks(), known, 'the next run reads on from where the last one did');

  await faults.arm('T3');
  const second = await start({ column: 'DAY', values: ['2026-01-04', null] }, 'each');
  await faults.held('T3');
  const landed = await pointer();
  await kill();
  t.match(await ended(second), { status: 'succeeded', rows: '2' });
  t.strictSame(await pointer(), landed, 'a commit whose end was lost is recorded, not repeated');
  t.strictSame(await sorted(DAYS), [...ofDays(before, ['2026-01-01']), ...others(rebuilt, ['2026-01-01'])].toSorted());
  t.strictSame(await marks(), known);

  t.match(await materialized(days), { status: 'succeeded', reason: 'input_overwritten' });
  t.strictSame(await sorted(DAYS), rebuilt);
  t.match(await ended(await start({ column: 'kind', values: [NAMED] }, 'together')), { rows: '4' });
  t.strictSame(await sorted(DAYS), rebuilt);
  t.match(await materialized(days), { status: 'skipped' }, 'the transform itself wrote those rows');
  await t.rejects(start({ column: 'v', values: [1] }, 'each'), {
    code: 'steps_refused',
    details: { errors: [{ pointer: '/steps/0/partitions/column', code: 'not_a_partition' }] },
  });
});
