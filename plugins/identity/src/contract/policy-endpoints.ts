import { Type } from '@sinclair/typebox';
import { Closed, endpoint, idOf, kernelProblems, listQuery, Name, OneOf, Page } from '@weir/kernel/contract';
import { readPolicies, writePolicies } from './access.ts';
import {
  AllowLockout,
  POLICY_KINDS,
  POLICY_STATUSES,
  Policy,
  PolicyNote,
  PolicyVersion,
  PolicyVersionFacts,
  policyParams,
  SentDocument,
} from './policies.ts';
import { identityProblems } from './problems.ts';

const { policyInvalid, lastAdminPolicy, policyLimit, entityTypeTaken, policyNameTaken, tooManyPolicies } =
  identityProblems;
const documentErrors = [policyInvalid, lastAdminPolicy, policyLimit, entityTypeTaken];

/** What the example policy says in Cedar. */
const CAREFUL =
  'forbid (principal, action == Action::"sources.delete_source", resource) when { principal.kind == "api_token" };';

/** `GET /identity-policies` */
export const listPolicies = endpoint({
  id: 'identity.list_policies',
  method: 'GET',
  path: '/identity-policies',
  summary: 'List the identity policies',
  access: readPolicies,
  query: listQuery(['created_at', 'name'], {
    kind: Type.Optional(OneOf(POLICY_KINDS, { description: 'Only policies of this kind' })),
    status: Type.Optional(OneOf(POLICY_STATUSES, { description: 'Only policies of this status' })),
    name: Type.Optional({ ...Name, description: 'Only the policy of this name' }),
  }),
  response: Page(Policy),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'policies list', columns: ['policy_id', 'name', 'kind', 'status', 'version', 'updated_at', 'note'] },
});

/** `POST /identity-policies` */
export const createPolicy = endpoint({
  id: 'identity.create_policy',
  method: 'POST',
  path: '/identity-policies',
  summary: 'Make an identity policy, as a draft unless it is to be in force at once',
  access: writePolicies,
  body: Closed({
    name: Name,
    kind: OneOf(POLICY_KINDS),
    document: SentDocument,
    status: Type.Optional(OneOf(['draft', 'active'], { default: 'draft' })),
    note: Type.Optional(PolicyNote),
    allow_lockout: Type.Optional(AllowLockout),
  }),
  example: {
    name: 'careful-programs',
    kind: 'access',
    document: { cedar: CAREFUL },
    note: 'A job retired the wrong source',
  },
  declarative: true,
  response: Policy,
  status: 201,
  location: '/identity-policies/:policy_id',
  errors: [...documentErrors, policyNameTaken, tooManyPolicies],
});

/** `GET /identity-policies/{policy_id}` */
export const getPolicy = endpoint({
  id: 'identity.get_policy',
  method: 'GET',
  path: '/identity-policies/:policy_id',
  summary: 'Read one identity policy with its newest version',
  access: readPolicies,
  params: policyParams,
  response: Policy,
  errors: [kernelProblems.notFound],
  cli: 'policies get',
});

/** `PUT /identity-policies/{policy_id}`: the next version, unless the document is the same. */
export const updatePolicy = endpoint({
  id: 'identity.update_policy',
  method: 'PUT',
  path: '/identity-policies/:policy_id',
  summary: 'Give an identity policy its next version or another status',
  description:
    'The same document makes no new version. expected_version is the version that was read; when another is the newest, the answer is 409 conflict. Without status the policy keeps its own, so that the next version of an active one is in force at once.',
  access: writePolicies,
  params: policyParams,
  body: Closed({
    document: SentDocument,
    expected_version: PolicyVersion,
    status: Type.Optional(OneOf(POLICY_STATUSES)),
    note: Type.Optional(PolicyNote),
    allow_lockout: Type.Optional(AllowLockout),
  }),
  example: { document: { cedar: CAREFUL }, expected_version: 1, status: 'active' },
  declarative: true,
  response: Policy,
  errors: [kernelProblems.notFound, kernelProblems.conflict, kernelProblems.preconditionFailed, ...documentErrors],
});

/** `DELETE /identity-policies/{policy_id}` */
export const deletePolicy = endpoint({
  id: 'identity.delete_policy',
  method: 'DELETE',
  path: '/identity-policies/:policy_id',
  summary: 'Delete an identity policy that nothing needs',
  description: 'An active access policy can be deleted while another is active, or after it was archived.',
  access: writePolicies,
  params: policyParams,
  status: 204,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, identityProblems.policyInUse],
  cli: 'policies delete',
});

/** `GET /identity-policies/{policy_id}/versions`: newest first. */
export const listPolicyVersions = endpoint({
  id: 'identity.list_policy_versions',
  method: 'GET',
  path: '/identity-policies/:policy_id/versions',
  summary: 'List the versions of an identity policy',
  access: readPolicies,
  params: policyParams,
  query: listQuery(['version'], {}),
  response: Page(PolicyVersionFacts),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: { words: 'policies versions', columns: ['version', 'created_by', 'created_at', 'digest', 'note'] },
});

/** `GET /identity-policies/{policy_id}/versions/{version}` */
export const getPolicyVersion = endpoint({
  id: 'identity.get_policy_version',
  method: 'GET',
  path: '/identity-policies/:policy_id/versions/:version',
  summary: 'Read one version of an identity policy',
  access: readPolicies,
  params: Closed({ policy_id: idOf('policy'), version: PolicyVersion }),
  response: PolicyVersionFacts,
  errors: [kernelProblems.notFound],
  cli: 'policies version',
});

/** `POST /identity-policies/{policy_id}/clone` */
export const clonePolicy = endpoint({
  id: 'identity.clone_policy',
  method: 'POST',
  path: '/identity-policies/:policy_id/clone',
  summary: 'Copy a version of an identity policy into a new draft',
  access: writePolicies,
  params: policyParams,
  body: Closed({
    name: Name,
    version: Type.Optional(PolicyVersion),
    tenant: Type.Optional(
      Type.String({ maxLength: 63, description: 'Alias of the tenant; only that of the request is allowed' }),
    ),
    note: Type.Optional(PolicyNote),
  }),
  example: { name: 'careful-programs-2', note: 'To try a wider one' },
  response: Policy,
  status: 201,
  location: '/identity-policies/:policy_id',
  errors: [kernelProblems.notFound, kernelProblems.tenantNotAllowed, policyNameTaken, tooManyPolicies],
  cli: 'policies clone',
});
