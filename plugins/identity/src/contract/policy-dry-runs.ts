import { type Static, Type } from '@sinclair/typebox';
import { Closed, EXAMPLE_ID, endpoint, kernelProblems } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { writePolicies } from './access.ts';
import { AccessDryRun, MAX_PRINCIPALS, MAX_REQUESTS, TriedPrincipal, TriedRequest } from './access-dry-runs.ts';
import { EntityDryRun, EntitySample } from './entity-resolution.ts';
import { PolicyVersion, policyParams, SentDocument } from './policies.ts';
import { identityProblems } from './problems.ts';

/** What a dry run is asked: a version or a document, and what its kind is tried on. */
export const PolicyTrial = Closed({
  version: Type.Optional(PolicyVersion),
  document: Type.Optional(SentDocument),
  principals: Type.Optional(
    Type.Array(TriedPrincipal, { minItems: 1, maxItems: MAX_PRINCIPALS, description: 'Of kind access' }),
  ),
  requests: Type.Optional(
    Type.Array(TriedRequest, { minItems: 1, maxItems: MAX_REQUESTS, description: 'Of kind access' }),
  ),
  sample: Type.Optional(EntitySample),
});
export type PolicyTrialBody = Static<typeof PolicyTrial>;

/** What a dry run answers, by kind. */
export const PolicyDryRun = Type.Union([AccessDryRun, EntityDryRun]);
export type PolicyDryRunView = Static<typeof PolicyDryRun>;

/** `POST /identity-policies/{policy_id}/dry-run`: stores nothing and asks nobody outside. */
export const dryRunPolicy = endpoint({
  id: 'identity.dry_run_policy',
  method: 'POST',
  path: '/identity-policies/:policy_id/dry-run',
  summary: 'Show what a version or a document of a policy would change, without activating it',
  description:
    'Without version and document it tries the newest version. Of kind access: for each pair of principals and requests the decision with and without it. Of kind entity_resolution: what it would make of a sample of a dataset.',
  access: writePolicies,
  params: policyParams,
  body: PolicyTrial,
  example: {
    principals: [{ claims: { sub: 'bob', realm_access: { roles: ['pipeline_editor'] } } }],
    requests: [{ action: 'sources.delete_source', resource: { source_id: EXAMPLE_ID } }],
  },
  response: PolicyDryRun,
  errors: [
    kernelProblems.notFound,
    identityProblems.policyInvalid,
    identityProblems.trialInvalid,
    identityProblems.policyTooBroad,
    kernelProblems.conflict,
    kernelProblems.dependencyUnavailable,
    datasetProblems.invalidDatasetId,
    datasetProblems.datasetNotReadable,
    datasetProblems.datasetUnreadable,
    datasetProblems.queryTimeout,
    datasetProblems.queryTooLarge,
  ],
});
