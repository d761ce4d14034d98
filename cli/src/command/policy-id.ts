import { listPolicies } from '@weir/plugin-identity/contract';
import type { Api } from '../connection/api.ts';
import { idOf } from './named-id.ts';

/** The id of a policy that was given by id or by name; a name that no policy has is `notFound`. */
export const policyId = (api: Api, given: string): Promise<string> => idOf(api, listPolicies, 'policy_id', given);
