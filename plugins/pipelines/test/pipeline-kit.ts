import type { Teardown } from '@weir/kernel/testing';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { changeTransform, hydrateTransform } from '@weir/plugin-transforms/contract';
import { until } from '../../../test/until.ts';
import { startWorker } from '../../../test/worker-process.ts';
import { runWorld } from '../../transforms/test/run-kit.ts';
import * as endpoints from '../src/contract.ts';

export const RAW = 'silver.acme.raw';
export const CLEAN = 'silver.acme.clean';
export const SUMS = 'gold.acme.sums';

/** Three transforms in a chain that have not run, and a worker where it `works`; `more` is added to the environment. */
export async function pipelineWorld(t: Teardown, more: Record<string, string> = {}, { works = true } = {}) {
  const world = await runWorld(t, more);
  if (works) await startWorker(t, world.environment, 'transform');
  const { ok, hydrated, database } = world;
  const values = (rows: string) => `select * from (values ${rows}) v(id, total)`;
  const raw = await hydrated('raw', values('(1, 10), (2, 20)'), RAW);
  const clean = await hydrated('clean', `select id, total from ${RAW} where total > 10`, CLEAN);
  const sums = await hydrated('sums', `select sum(total)::int as total from ${CLEAN}`, SUMS);
  const change = async (params: { transform_id: string }, body: object) => {
    await ok(changeTransform, { params, body });
    await ok(hydrateTransform, { params });
  };
  const steps = [
    { step_id: 'sums', ...sums },
    { step_id: 'clean', ...clean },
    { step_id: 'raw', ...raw },
  ];
  const create = async (name: string, body: object = {}) => {
    const { pipeline_id } = await ok(endpoints.createPipeline, { body: { name, steps, ...body } });
    return { pipeline_id };
  };
  type Params = Awaited<ReturnType<typeof create>>;
  const get = (params: Params) => ok(endpoints.getPipeline, { params });
  const validated = (params: Params) => ok(endpoints.validateDag, { body: params });
  const ended = (params: Params, run_id: string) =>
    until('the end of a run of a pipeline', async () => {
      const run = await ok(endpoints.getPipelineRun, { params: { ...params, run_id } });
      return run.is_terminal ? run : undefined;
    });
  const rehearsed = async (params: Params, body: object = {}) => {
    const { run_id, workflow_id } = await ok(endpoints.sandboxPipeline, { params, body });
    await ended(params, run_id);
    return ok(endpoints.getSandboxStatus, { params: { ...params, workflow_id } });
  };
  const run = async (params: Params, body: object = {}) => {
    const { run_id } = await ok(endpoints.runPipeline, { params, body });
    return ended(params, run_id);
  };
  /** All that a rehearsal may not move. */
  const state = async () => ({
    datasets: (await ok(listDatasets, {})).items,
    pointers: await database.peek('select table_name, metadata_location from catalog.iceberg_tables order by 1'),
    checkpoints: await database.peek('select key, state::text from datasets.checkpoint order by 1'),
    marks: await database.peek('select reader, snapshot_id from datasets.input_mark order by 1'),
  });
  return { ...world, raw, clean, sums, values, steps, change, create, get, validated, rehearsed, run, ended, state };
}
