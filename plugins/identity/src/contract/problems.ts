import { problem } from '@weir/kernel/contract';

/** The codes that only this plugin answers; `access_policy_*` may be answered by any route of a tenant. */
export const identityProblems = {
  accessPolicyForbids: problem({
    code: 'access_policy_forbids',
    status: 403,
    title: 'Forbidden by policy',
    detail: 'Your role allows this, but an access policy of the tenant forbids it.',
    hint: 'Ask an admin of the tenant: weir policies list shows the policies in force.',
  }),
  accessPolicyUnevaluable: problem({
    code: 'access_policy_unevaluable',
    status: 403,
    title: 'Policy cannot be evaluated',
    detail: 'An access policy of the tenant cannot be evaluated for this call, so the call is forbidden.',
    hint: 'Ask an admin of the tenant to correct or archive the policy; a dry run names it and its error.',
  }),
  policyInvalid: problem({
    code: 'policy_invalid',
    status: 422,
    title: 'Policy invalid',
    detail: 'The document of the policy cannot be put in force as it is.',
    hint: 'Each entry of errors names the place and the rule; positions gives line and column in the Cedar text.',
  }),
  policyTooBroad: problem({
    code: 'policy_too_broad',
    status: 422,
    title: 'Policy too broad',
    detail: 'Of this sample the policy would compare, or find alike, more pairs of records than a dry run may look at.',
    hint: 'Add a property to the blocking rule that errors names, or ask for fewer rows.',
  }),
  trialInvalid: problem({
    code: 'trial_invalid',
    status: 422,
    title: 'Dry run invalid',
    detail: 'What the policy is to be tried on does not fit its kind, or is not there.',
    hint: 'Each entry of errors names the place and the rule; GET /users lists people, /openapi.json the operations.',
  }),
  policyNameTaken: problem({
    code: 'policy_name_taken',
    status: 409,
    title: 'Policy name taken',
    detail: 'Another identity policy of this tenant has this name.',
    hint: 'Choose another name, or delete the other policy first.',
  }),
  policyInUse: problem({
    code: 'policy_in_use',
    status: 409,
    title: 'Policy in use',
    detail: 'This policy is in force and nothing of its kind would take its place.',
    hint: 'Put its successor in force first, or archive the policy: PUT with status archived.',
  }),
  lastAdminPolicy: problem({
    code: 'last_admin_policy',
    status: 409,
    title: 'Policy would lock the admins out',
    detail: 'With this document in force no admin could change the policies of the tenant any more, or you could not.',
    hint: 'Leave the routes of identity policies open to an admin; allow_lockout accepts the loss.',
  }),
  policyLimit: problem({
    code: 'policy_limit',
    status: 409,
    title: 'Too many policies',
    detail: 'The tenant has as many identity policies of this kind in force as it may have.',
    hint: 'Archive one, or join two documents in one policy.',
  }),
  tokenRoleTooHigh: problem({
    code: 'token_role_too_high',
    status: 422,
    title: 'Role of the token too high',
    detail: 'A token cannot have a higher role than the person who makes it.',
    hint: 'Ask for your own role or a lower one.',
  }),
  tokenNeedsPerson: problem({
    code: 'token_needs_person',
    status: 403,
    title: 'Only people make tokens',
    detail: 'API tokens are made by people who are signed in, not by other API tokens, services or delegations.',
    hint: 'Sign in as a person and make the token then.',
  }),
  tokenNameTaken: problem({
    code: 'token_name_taken',
    status: 409,
    title: 'Token name taken',
    detail: 'You have a token of this name already.',
    hint: 'Choose another name, or revoke the other token first.',
  }),
};
