import { createApiToken, createPolicy } from '@weir/plugin-identity/contract';
import { type Api, inTurn } from './seed-sources.ts';

/** Tokens that may be revoked, and policies that may be deleted, by examples that do no more than that. */
const VICTIMS = 10;

/** What an access policy of the fuzzer says; nobody is forbidden anything by it. */
export const HARMLESS = { cedar: 'forbid (principal, action, resource) when { principal.sub == "nobody" };' };

/** Things of `identity` that paths name, and those that are spoilt. */
export interface IdentitySeeds {
  read: Record<'api_token_id' | 'policy_id' | 'sub' | 'version', string[]>;
  writtenPolicy: string;
  revokedTokens: string[];
  deletedPolicies: string[];
}

/** Makes tokens and drafts of policies; whoever makes a token is a person that was seen. */
export async function seedIdentity(api: Api): Promise<IdentitySeeds> {
  const token = (name: string) => api(createApiToken, { body: { name, role: 'viewer' } });
  const policy = async (name: string) =>
    (await api(createPolicy, { body: { name, kind: 'access', document: HARMLESS } })).policy_id;
  const first = await token('read');
  return {
    read: {
      api_token_id: [first.api_token_id],
      policy_id: [await policy('read')],
      sub: [first.created_by],
      version: ['1'],
    },
    writtenPolicy: await policy('written'),
    revokedTokens: (await inTurn(VICTIMS, (at) => token(`victim_${at}`))).map(({ api_token_id }) => api_token_id),
    deletedPolicies: await inTurn(VICTIMS, (at) => policy(`victim_${at}`)),
  };
}
