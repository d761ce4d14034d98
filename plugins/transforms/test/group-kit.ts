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

/** Four transforms in a chain, one of each way to write; the one at place n fails on a row whose `v` is -n. */
export async function groupWorld(t: Teardown) {
  const world = await runWorld(t);
  const { ok, hydrated, database, platform } = world;
  const values = (rows: string) => `select id, day, ${failing('v', 1)} as v from (values ${rows}) e(id, day, v)`;
  const raw = await hydrated('raw', values('(1, 1, 10), (2, 1, 20)'), RAW, { materialization: 'append' });
  const days = await hydrated('days', `select day, sum(${failing('v', 2)})::int as v from ${RAW} group by day`, DAYS, {
    materialization: 'partition_overwrite',
    partition_by: ['day'],
    incremental: RAW,
  });
  const sums = await hydrated('sums', `select id, 2 * (${failing('v', 3)}) as v from ${RAW}`, SUMS, {
    materialization: 'merge',
    key: ['id'],
    incremental: RAW,
  });
  const least = failing('least(0, min(s.v) // 2)', 4);
  const sql = `select max(s.v) as v, count(*)::int as n, ${least} as least from ${SUMS} s, ${DAYS} d`;
  const checks = (max: number) => [{ name: 'few', kind: 'row_count', max }];
  const top = await hydrated('top', sql, TOP, { checks: checks(9) });
  const all = [raw, days, sums, top];

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
  const land = (rows: string) => change(raw, { sql: values(rows) });
  const groups = platform.plugins
    .flatMap(({ registration }) => registration.services ?? [])
    .find(({ id }) => id === endpoints.Groups.id)?.implementation as endpoints.GroupsService;
  return { ...world, all, raw, top, change, checks, start, parts, ended, run, state, holds, land, groups };
}
