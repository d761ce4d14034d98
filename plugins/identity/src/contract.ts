export {
  ACCESS_SCHEMA,
  AccessDocument,
  type AccessDocumentBody,
  Binding,
  type BindingBody,
  type BindingMatchBody,
  CLAIMS,
  type Claim,
  MAX_BINDINGS,
  MAX_CEDAR_LENGTH,
} from './contract/access-documents.ts';
export {
  AccessDryRun,
  type AccessDryRunView,
  type ClaimsBody,
  DecidedPair,
  type DecidedPairView,
  type Decision,
  MAX_PAIRS,
  MAX_PRINCIPALS,
  MAX_REQUESTS,
  type TriedPrincipalBody,
  type TriedRequestBody,
} from './contract/access-dry-runs.ts';
export {
  ApiToken,
  type ApiTokenView,
  createApiToken,
  DEFAULT_TOKEN_DAYS,
  getApiToken,
  listApiTokens,
  MAX_TOKEN_DAYS,
  revokeApiToken,
  TOKEN_PREFIX,
} from './contract/api-tokens.ts';
export {
  EntityDryRun,
  type EntityDryRunView,
  EntityResolutionDocument,
  type EntityResolutionDocumentBody,
  EntitySample,
  type EntitySampleBody,
} from './contract/entity-resolution.ts';
export { getMe, Me, type MeView } from './contract/me.ts';
export {
  POLICY_KINDS,
  POLICY_STATUSES,
  Policy,
  PolicyDocument,
  type PolicyDocumentView,
  type PolicyKindName,
  type PolicyStatus,
  PolicyVersionFacts,
  type PolicyVersionView,
  type PolicyView,
} from './contract/policies.ts';
export { dryRunPolicy, PolicyDryRun, type PolicyDryRunView, type PolicyTrialBody } from './contract/policy-dry-runs.ts';
export {
  clonePolicy,
  createPolicy,
  deletePolicy,
  getPolicy,
  getPolicyVersion,
  listPolicies,
  listPolicyVersions,
  updatePolicy,
} from './contract/policy-endpoints.ts';
export { identityProblems } from './contract/problems.ts';
export { getUser, listUsers, User, type UserView } from './contract/users.ts';
