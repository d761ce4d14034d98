import {
  clonePolicy,
  createApiToken,
  createPolicy,
  deletePolicy,
  dryRunPolicy,
  revokeApiToken,
  updatePolicy,
} from '@weir/plugin-identity/contract';
import { type Api, type Examples, example, inTurn, VICTIMS } from '../../../test/examples.ts';

/** An access policy that forbids nothing to any caller of the tests. */
const document = { cedar: 'forbid (principal, action, resource) when { principal.sub == "absent" };' };

const makePolicy = async (api: Api, name: string): Promise<string> =>
  (await api(createPolicy, { body: { name, kind: 'access', document } })).policy_id;
const makeToken = (api: Api, name: string) => api(createApiToken, { body: { name, role: 'viewer' } });

export const examples: Examples = {
  shared: { version: '1' },
  async furnish({ api }) {
    const { api_token_id, created_by } = await makeToken(api, 'ci');
    return { api_token_id, sub: created_by, policy_id: await makePolicy(api, 'draft') };
  },
  calls: [
    example(updatePolicy, { body: { document, expected_version: 1 } }),
    example(clonePolicy, { body: { name: 'copy' } }),
    example(dryRunPolicy, { body: { document } }),
  ],
  async seed({ api }) {
    const tokens = await inTurn(VICTIMS, (at) => makeToken(api, `victim_${at}`));
    const policies = await inTurn(VICTIMS, (at) => makePolicy(api, `victim_${at}`));
    const [principals, requests] = [[{ claims: { sub: 'ann' } }], [{ action: 'identity.list_users' }]];
    return {
      calls: [
        { of: revokeApiToken, params: { api_token_id: tokens.map(({ api_token_id }) => api_token_id) } },
        { of: deletePolicy, params: { policy_id: policies } },
        example(createPolicy, { body: { name: 'fuzzed', kind: 'access', document } }),
        example(updatePolicy, {
          params: { policy_id: await makePolicy(api, 'written') },
          body: { document, expected_version: 1 },
        }),
        example(dryRunPolicy, { body: { principals, requests } }),
      ],
    };
  },
};
