import type { Teardown } from '@weir/kernel/testing';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { getRun } from '@weir/plugin-runs/contract';
import { until } from '../../../test/until.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

export const RAW = 'silver.acme.raw';
export const DAYS = 'silver.acme.days';
export const SUMS = 'gold.acme.sums';
export const TOP = 'gold.acme.top';
export const OUTPUTS = [RAW, DAYS, SUMS, TOP];

type Params = { transform_id: string };

/** A value that cannot be read as a number: the step that comes to it fails. */
const failing = (v: string, at: number) => `case when ${v} = -${at} then cast('x' || ${v} as int) else ${v} end`;

/** The statement of the first of the four. */
export const rawSql = (rows: string) => `select id, day, ${failing('v', 1)} as v from (values ${rows}) e(id, day, v)`;
const checks = (max: number) => [{ name: 'few', kind: 'row_count', max }];

/** Four transforms in a chain, one of each way to write; the one at place n fails on a row whose `v` is -n. */
export async function groupSteps({ hydrated }: Pick<Awaited<ReturnType<typeof runWorld>>, 'hydrated'>, tag = '') {
  const outputs = OUTPUTS.map((id) => `${id}${tag}`);
  const [from = '', byDay = '', byId = '', best = ''] = outputs;
  const raw = await hydrated(`raw${tag}`, rawSql('(1, 1, 10), (2, 1, 20)'), from, { materialization: 'append' });
  const dayed = `select day, sum(${failing('v', 2)})::int as v from ${from} group by day`;
  const ofDays = { materialization: 'partition_overwrite', partition_by: ['day'], incremental: from };
  const days = await hydrated(`days${tag}`, dayed, byDay, ofDays);
  const doubled = `select id, 2 * (${failing('v', 3)}) as v from ${from}`;
  const ofIds = { materialization: 'merge', key: ['id'], incremental: from };
  const sums = await hydrated(`sums${tag}`, doubled, byId, ofIds);
  const least = failing('least(0, min(s.v) // 2)', 4);
  const sql = `select max(s.v) as v, count(*)::int as n, ${least} as least from ${byId} s, ${byDay} d`;
  const top = await hydrated(`top${tag}`, sql, best, { checks: checks(9) });
  return { raw, days, sums, top, all: [raw, days, sums, top], outputs };
}

export async function groupWorld(t: Teardown) {
  const world = await runWorld(t);
  const { ok, database, platform } = world;
  const { raw, top, all } = await groupSteps(world);

  const change = async (params: Params, body: object) => {
    await ok(endpoints.changeTransform, { params, body });
    await ok(endpoints.hydrateTransform, { params });
  };
  const start = async (body: object = {}): Promise<string> => {
    const transform_ids = all.map(({ transform_id }) => transform_id).toReversed();
    const asked = { publish: 'together' as const, transform_ids, ...body };
    return (await ok(endpoints.materializeTransforms, { body: asked })).run_id;
  };
  const parts = async (runId: string) => {
    const { items } = await ok(endpoints.listTransformRuns, { query: { orchestrator_run_id: runId } });
    const byOutput = new Map(items.map((part) => [part.output, part]));
    return OUTPUTS.map((id) => byOutput.get(id));
  };
  const ended = async (runId: string) => {
    const whole = await until('the end of a whole', async () => {
      const found = await ok(getRun, { params: { id: runId } });
      return found.is_terminal ? found : undefined;
    });
    const steps = await parts(runId);
    return { whole, steps, statuses: steps.map((step) => step?.status) };
  };
  const run = async (body: object = {}) => ended(await start(body));
  /** All that may not move: pointers, what was read, and what is marked. */
  const state = async () => ({
    datasets: (await ok(listDatasets, {})).items,
    pointers: await database.peek('select table_name, metadata_location from catalog.iceberg_tables order by 1'),
    checkpoints: await database.peek('select key, state::text from datasets.checkpoint order by 1'),
    marks: await database.peek('select reader, snapshot_id from datasets.input_mark order by 1'),
  });
  const holds = () => database.peek('select run_id from datasets.input_hold');
  const land = (rows: string) => change(raw, { sql: rawSql(rows) });
  const groups = platform.plugins
    .flatMap(({ registration }) => registration.services ?? [])
    .find(({ id }) => id === endpoints.Groups.id)?.implementation as endpoints.GroupsService;
  return { ...world, all, raw, top, change, checks, start, parts, ended, run, state, holds, land, groups };
}
