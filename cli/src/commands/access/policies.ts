import {
  deletePolicy,
  getPolicy,
  getPolicyVersion,
  listPolicies,
  listPolicyVersions,
} from '@weir/plugin-identity/contract';
import { CliError } from '../../cli-error.ts';
import { endpointCommand } from '../../command/endpoint-command.ts';
import type { Api } from '../../connection/api.ts';
import { isId } from '../../is-id.ts';

/** The id of a policy that was given by id or by name; a name that no policy has is `notFound`. */
export async function policyId(api: Api, given: string): Promise<string> {
  if (isId(given)) return given;
  const [named] = (await api.call(listPolicies, { query: { name: given, limit: 1 } })).items;
  if (named !== undefined) return named.policy_id;
  throw new CliError('notFound', `There is no policy ${given}.`, {
    code: 'not_found',
    hint: 'weir policies list shows names and ids.',
  });
}

const resolve = { policy_id: policyId };

export const PoliciesList = endpointCommand(listPolicies, {
  columns: ['policy_id', 'name', 'kind', 'status', 'version', 'updated_at', 'note'],
});
export const PoliciesGet = endpointCommand(getPolicy, { resolve });
export const PoliciesDelete = endpointCommand(deletePolicy, { resolve });
export const PoliciesVersions = endpointCommand(listPolicyVersions, {
  resolve,
  columns: ['version', 'created_by', 'created_at', 'digest', 'note'],
});
export const PoliciesVersion = endpointCommand(getPolicyVersion, { resolve });
