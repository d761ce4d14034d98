import {
  composePipeline,
  fixCiFailure,
  generateTransform,
  getComposeStatus,
  getExecution,
  listExecutions,
  publishTransform,
  refuseProposal,
  reviewSql,
  suggestFieldMappings,
  suggestPatternParams,
  suggestTargetSchema,
} from '@weir/plugin-ai/contract';
import { startWorkflow } from '@weir/plugin-workflow-engine/contract';
import { type Api, type Examples, example, inTurn, VICTIMS } from '../../../test/examples.ts';

const source = { schema: { type: 'object', properties: { order_no: { type: 'string' } } } };
const target = { schema: { type: 'object', properties: { orderNumber: { type: 'string' } } } };
const mapping = { source, target };

const propose = async (api: Api): Promise<string> => (await api(suggestFieldMappings, { body: mapping })).execution_id;

export const examples: Examples = {
  own: [
    { of: listExecutions, why: 'shows what was asked for, and what became of the proposals' },
    { of: getExecution, why: 'shows a proposal again, as Location and links name it' },
    { of: refuseProposal, why: 'a proposal that is refused cannot be accepted by mistake' },
  ],
  furnish: async ({ api }) => ({ execution_id: await propose(api) }),
  calls: [
    example(suggestTargetSchema, { body: { columns: [{ name: 'order_no', type: 'string' }] } }),
    example(suggestFieldMappings, { body: mapping }),
    example(suggestPatternParams, { body: { pattern_id: 'files', kind: 'source' } }),
    example(reviewSql, { body: { sql: 'select 1 as one' } }),
    {
      of: generateTransform,
      body: { description: 'count rows', inputs: ['bronze.walked.missing'] },
      unreached: { why: 'its input needs a sync, which needs a worker' },
    },
    {
      of: composePipeline,
      body: { goal: 'count rows', dataset_ids: ['bronze.walked.missing'] },
      unreached: { why: 'its input needs a sync, which needs a worker' },
    },
    { of: getComposeStatus, unreached: { why: 'a composition needs an input, which needs a worker' } },
    {
      of: startWorkflow['schema-match'],
      body: mapping,
      unreached: { why: 'a match needs a worker', status: 503 },
    },
    example(fixCiFailure, { body: { artifact: { sql: 'select 1 as one' }, ci_log: 'Out of Memory Error' } }),
    {
      of: publishTransform,
      body: {
        execution_id: '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90',
        expected_digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        dry_run: true,
      },
      unreached: { why: 'its proposal needs an input, which needs a worker' },
    },
  ],
  seed: async ({ api }) => ({
    calls: [{ of: refuseProposal, params: { execution_id: await inTurn(VICTIMS, () => propose(api)) } }],
  }),
};
