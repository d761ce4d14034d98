import { createTenant, setAdmission, setTenantLimits, setTenantPlugin } from '@weir/plugin-platform/contract';
import { type Examples, example } from '../../../test/examples.ts';

export const examples: Examples = {
  shared: { code: 'not_found', file: 'explorer.js', plugin_id: 'sources' },
  calls: [
    {
      of: setTenantPlugin,
      unreached: { why: 'no plugin of the platform as it is deployed can be switched' },
    },
  ],
  seed: async () => ({
    calls: [
      example(createTenant, { body: { alias: 'made-by-fuzzing' } }),
      example(setAdmission, { body: { open: true, reason: 'fuzzing' } }),
      example(setTenantLimits, { body: { runs_per_day: null, concurrent_runs: null, storage_bytes: 0 } }),
    ],
  }),
};
