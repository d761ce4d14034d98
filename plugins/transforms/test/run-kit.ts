import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallResult, Endpoint, Input } from '@weir/kernel/contract';
import type { Teardown } from '@weir/kernel/testing';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { getRun } from '@weir/plugin-runs/contract';
import { testPlatform } from '../../../test/platform.ts';
import { until } from '../../../test/until.ts';
import * as endpoints from '../src/contract.ts';

/** The whole platform but its workers, called as an administrator of `acme`. */
export async function runWorld(
  t: Teardown,
  more: Record<string, string> = {},
  adapt?: Parameters<typeof testPlatform>[3],
) {
  const folder = await mkdtemp(join(tmpdir(), 'weir-transforms-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const platform = await testPlatform(t, folder, more, adapt);
  // A lane outlives a token.
  const call = async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}): Promise<CallResult<E>> =>
    platform.call({ token: await platform.token('acme'), tenant: 'acme' }, endpoint, input);
  const ok = async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) => {
    const answer = await call(endpoint, input);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    return answer.body;
  };
  const hydrated = async (name: string, sql: string, output: string, body: object = {}) => {
    const made = await ok(endpoints.createTransform, { body: { name, sql, output, ...body } });
    const params = { transform_id: made.transform_id };
    await ok(endpoints.hydrateTransform, { params });
    return params;
  };
  const ended = (runId: string) =>
    until('the end of a run', async () => {
      const run = await ok(endpoints.getTransformRun, { params: { run_id: runId } });
      return run.is_terminal ? run : undefined;
    });
  const materialized = async (params: { transform_id: string }, body: object = {}) => {
    const { run_id } = await ok(endpoints.materializeTransform, { params, body });
    const run = await ended(run_id);
    // Its whole ends a moment later, and until then the transform cannot be deleted.
    const whole = { params: { id: run.orchestrator_run_id ?? '' } };
    await until('the end of its whole', async () => (await ok(getRun, whole)).is_terminal);
    return run;
  };
  const rows = async (datasetId: string) =>
    (await ok(previewDataset, { params: { dataset_id: datasetId }, query: {} })).rows;
  return { ...platform, folder, call, ok, hydrated, ended, materialized, rows };
}
