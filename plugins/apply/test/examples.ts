import { applyPlan, dryRunDocuments, exportDocuments } from '@weir/plugin-apply/contract';
import { type Examples, example } from '../../../test/examples.ts';

const docs = [
  {
    apiVersion: 'service.platform/v1',
    kind: 'Source',
    metadata: { name: 'fuzzed' },
    spec: { pattern_id: 'files', source_config: { path: '/data/shop' } },
  },
];

export const examples: Examples = {
  own: [
    { of: applyPlan, why: 'a plan is carried out by the calls that it names' },
    { of: exportDocuments, why: 'what is there, as documents for git' },
  ],
  calls: [example(dryRunDocuments, { body: { docs } })],
  seed: async ({ api }) => {
    const { fingerprint } = await api(dryRunDocuments, { body: { docs: [] } });
    return { calls: [example(applyPlan, { body: { docs: [], fingerprint } })] };
  },
};
