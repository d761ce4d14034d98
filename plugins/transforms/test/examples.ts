import {
  cancelTransformRun,
  changeTransform,
  createTransform,
  deleteTransform,
  deleteTransformSchedule,
  discardTransformDraft,
  executeTransform,
  getRunOfTransform,
  getTransformRun,
  getTransformVersion,
  hydrateTransform,
  listTransformVersions,
  materializeTransform,
  pauseTransformSchedule,
  previewTransform,
  putTransformSchedule,
  readRunChecks,
  readSteps,
  readTransformRunLog,
  restoreTransformVersion,
  runQuery,
  triggerTransformSchedule,
  validateTransform,
} from '@weir/plugin-transforms/contract';
import { type Examples, example, inTurn, type Tenancy, VICTIMS } from '../../../test/examples.ts';

/** A schedule that starts no run while a test runs. */
const RARELY = { cron: ['0 0 29 2 *'] };

/** A transform that runs only when a worker polls. */
const bodyOf = (tenant: string, name: string) => ({
  name,
  sql: 'select 1 as one',
  output: `gold.${tenant}.${name}`,
});

const make = async ({ api, tenant }: Tenancy, name: string): Promise<string> =>
  (await api(createTransform, { body: bodyOf(tenant, name) })).transform_id;

/** A transform of its own that has a schedule. */
async function scheduled(tenancy: Tenancy, name: string): Promise<{ transform_id: string }> {
  const params = { transform_id: await make(tenancy, name) };
  await tenancy.api(hydrateTransform, { params });
  await tenancy.api(putTransformSchedule, { params, body: RARELY });
  return params;
}

/** A transform with a version in force and a draft beside it. */
async function drafted(tenancy: Tenancy, name: string): Promise<{ transform_id: string }> {
  const params = { transform_id: await make(tenancy, name) };
  await tenancy.api(hydrateTransform, { params });
  await tenancy.api(changeTransform, { params, body: { sql: 'select 2 as one' } });
  return params;
}

export const examples: Examples = {
  own: [
    { of: createTransform, why: 'makes a transform of SQL' },
    { of: discardTransformDraft, why: 'takes back what was saved and is not in force' },
    { of: listTransformVersions, why: 'shows which definitions were in force' },
    { of: getTransformVersion, why: 'shows a definition that was in force' },
    { of: restoreTransformVersion, why: 'puts an earlier definition in force again' },
    { of: readRunChecks, why: 'shows the rows that break the checks of a run' },
    { of: validateTransform, why: 'finds what is wrong in a definition before it is saved' },
    { of: previewTransform, why: 'shows the rows of a statement before it is saved' },
    { of: runQuery, why: 'answers SQL over the datasets of a tenant' },
  ],
  async furnish(tenancy) {
    const transform_id = await make(tenancy, 'shown');
    const { artifact_id } = await tenancy.api(hydrateTransform, { params: { transform_id } });
    const { run_id: transform_run_id } = await tenancy.api(materializeTransform, {
      ...{ params: { transform_id }, query: { queue: true } },
    });
    await tenancy.api(putTransformSchedule, { params: { transform_id }, body: RARELY });
    return { transform_id, artifact_id: artifact_id ?? '', transform_run_id };
  },
  meant: [
    {
      of: [getTransformRun, getRunOfTransform, readTransformRunLog, readRunChecks, readSteps, cancelTransformRun],
      ...{ name: 'run_id', as: 'transform_run_id' },
    },
  ],
  shared: { version: '1' },
  absent: { artifact_id: () => 'a'.repeat(64) },
  calls: [
    example(changeTransform, { body: { description: 'x' } }),
    example(previewTransform, { body: { sql: 'select 1 as one' } }),
    example(validateTransform, { body: { sql: 'select 1 as one' } }),
    example(runQuery, { body: { sql: 'select 1 as one' } }),
    example(putTransformSchedule, { body: RARELY }),
    example(executeTransform, { body: { orchestrator_run_id: 'outer' } }),
  ],
  seed: async (tenancy) => ({
    calls: [
      example(createTransform, { body: bodyOf(tenancy.tenant, 'fuzzed') }),
      example(changeTransform, { body: { tags: ['fuzzed'] } }),
      example(pauseTransformSchedule, { body: { reason: 'fuzzing' } }),
      { of: discardTransformDraft, params: await drafted(tenancy, 'drafted') },
      { of: deleteTransformSchedule, params: await scheduled(tenancy, 'unscheduled') },
      { of: triggerTransformSchedule, params: await scheduled(tenancy, 'triggered') },
      {
        of: deleteTransform,
        params: { transform_id: await inTurn(VICTIMS, (at) => make(tenancy, `victim_${at}`)) },
      },
    ],
  }),
};
