import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, listQuery, Nullable, OneOf } from '@weir/kernel/contract';
import { workflowEngineProblems } from '@weir/plugin-workflow-engine/contract';
import { applyDocuments, planDocuments } from './access.ts';
import { applyProblems } from './problems.ts';

/** The one version of envelopes. */
export const API_VERSION = 'service.platform/v1';
export const YAML_TYPE = 'application/yaml';
export const NDJSON_TYPE = 'application/x-ndjson';

const MAX_DOCUMENTS = 1_000;
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** 24 characters a document. */
const MAX_FINGERPRINT = 32_000;

/** What would become of a document. */
export const ACTIONS = ['create', 'patch', 'noop', 'would-409', 'error'] as const;
export type Action = (typeof ACTIONS)[number];
export const STREAM_ACTIONS = ['create', 'patch', 'noop', 'unmanaged'] as const;

/** A document as it is sent; its faults are results, not a refusal of the call. */
const SentDocument = Type.Unsafe<unknown>({
  description: `{apiVersion: ${API_VERSION}, kind, metadata: {name}, spec}; the kind says what its spec holds`,
});

/** A document as it is exported. */
export const EnvelopeDocument = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  metadata: Type.Object({ name: Type.String() }),
  spec: Type.Record(Type.String(), Type.Unknown()),
});
export type EnvelopeView = Static<typeof EnvelopeDocument>;

const documents = {
  docs: Type.Array(SentDocument, {
    maxItems: MAX_DOCUMENTS,
    description:
      'Applied in this order, but a transform after those whose tables it reads; each sees what earlier ones plan',
  }),
  allow_deprecate: Type.Optional(
    Type.Boolean({ default: false, description: 'Documents may remove or retire something; otherwise would-409' }),
  ),
  live_ontology: Type.Optional(
    Type.Boolean({ default: false, description: 'Also checks BackingDatasets against the ontology service' }),
  ),
};

/** A member that would change; write-only members say `set` and no values. */
export const PlannedChange = Type.Object({
  pointer: Type.String({ description: 'JSON pointer into spec; a stream is named by its name' }),
  change: OneOf(['add', 'remove', 'replace', 'set']),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
});
export type ChangeView = Static<typeof PlannedChange>;

const ItemFault = Type.Object({
  code: Type.String(),
  pointer: Type.String({ description: 'JSON pointer into the document' }),
  detail: Type.String(),
});
export type ItemFaultView = Static<typeof ItemFault>;

export const PlannedDocument = Type.Object({
  index: Type.Integer(),
  kind: Nullable(Type.String()),
  name: Nullable(Type.String()),
  action: OneOf(ACTIONS),
  changes: Type.Array(PlannedChange),
  streams: Type.Optional(Type.Array(Type.Object({ name: Type.String(), action: OneOf(STREAM_ACTIONS) }))),
  errors: Type.Optional(Type.Array(ItemFault)),
  calls: Type.Array(Type.Object({ method: Type.String(), path: Type.String() }), {
    description: 'Calls of this API that apply makes, in this order',
  }),
});
export type PlannedView = Static<typeof PlannedDocument>;

const Fingerprint = Type.String({ maxLength: MAX_FINGERPRINT, pattern: '^[A-Za-z0-9_-]+$' });

export const Plan = Type.Object({
  fingerprint: Type.String({ description: 'Names this plan to POST /apply' }),
  summary: Type.Object({
    create: Type.Integer(),
    patch: Type.Integer(),
    noop: Type.Integer(),
    'would-409': Type.Integer(),
    error: Type.Integer(),
  }),
  results: Type.Array(PlannedDocument),
});
export type PlanView = Static<typeof Plan>;

const example = {
  docs: [
    {
      apiVersion: API_VERSION,
      kind: 'Source',
      metadata: { name: 'shop' },
      spec: { pattern_id: 'files', source_config: { path: '/data/shop' } },
    },
  ],
};

/** `POST /apply/dry-run` */
export const dryRunDocuments = endpoint({
  id: 'apply.dry_run',
  method: 'POST',
  path: '/apply/dry-run',
  summary: 'Plan documents: what applying them would create and change',
  description:
    'Nothing is written. Write-only members are never compared with what is stored: one that is given is always a change.',
  access: planDocuments,
  declarative: true,
  maxBodyBytes: MAX_BODY_BYTES,
  body: Closed(documents),
  example,
  response: Plan,
  produces: [YAML_TYPE],
  errors: [workflowEngineProblems.featureNotConfigured],
});

export const OUTCOMES = ['applied', 'noop', 'failed', 'not_reached'] as const;
const ItemError = Type.Object({
  code: Type.String(),
  detail: Type.String(),
  call: Type.Object({ method: Type.String(), path: Type.String() }),
});

export const AppliedDocument = Type.Object({
  index: Type.Integer(),
  kind: Type.String(),
  name: Type.String(),
  outcome: OneOf(OUTCOMES),
  id: Nullable(Type.String()),
  calls: Type.Integer({ description: 'Calls that succeeded; each is a change of its own and stays' }),
  error: Type.Optional(ItemError),
  warnings: Type.Optional(Type.Array(ItemError, { description: 'Calls that may be made later, and were refused now' })),
});
export type AppliedView = Static<typeof AppliedDocument>;

export const APPLY_STATUSES = ['applied', 'stopped'] as const;

/** `POST /apply` (ours) */
export const applyPlan = endpoint({
  id: 'apply.apply',
  method: 'POST',
  path: '/apply',
  summary: 'Apply a plan that still holds, by the calls that it names',
  description:
    'Each call is made in the name of the caller and is a change of its own, which stays when a later one is refused. The first refusal stops the rest, and so do 30 seconds. The same plan continues from there. As application/x-ndjson each result is a line, the last line has the status, and ten minutes stop it.',
  access: applyDocuments,
  declarative: true,
  maxBodyBytes: MAX_BODY_BYTES,
  body: Closed({ ...documents, fingerprint: Type.Optional(Fingerprint) }),
  example: { ...example, fingerprint: 'AAAA' },
  response: Type.Object({ status: OneOf(APPLY_STATUSES), results: Type.Array(AppliedDocument) }),
  produces: [YAML_TYPE, NDJSON_TYPE],
  errors: [
    ...[applyProblems.fingerprintMissing, applyProblems.planStale, applyProblems.planRefused],
    workflowEngineProblems.featureNotConfigured,
  ],
});

const { limit, page_token } = listQuery(['name'], {}).properties;

/** `GET /export` (ours) */
export const exportDocuments = endpoint({
  id: 'apply.export',
  method: 'GET',
  path: '/export',
  summary: 'Export what is there as documents, without write-only members',
  description:
    'Dataset ids hold `scope` in braces after a dollar sign in place of the scope of the tenant, so that another tenant can apply them.',
  access: planDocuments,
  query: Closed({
    kind: Type.Optional(Type.String({ maxLength: 63, description: 'Only documents of this kind' })),
    name: Type.Optional(Type.String({ maxLength: 63, description: 'Only documents of this name' })),
    limit,
    page_token,
  }),
  response: Type.Object({
    docs: Type.Array(EnvelopeDocument),
    next_page_token: Nullable(Type.String()),
    left_out: Type.Array(Type.Object({ kind: Type.String(), name: Nullable(Type.String()), code: Type.String() }), {
      description: 'What the caller may not read, and why; without a name the whole kind',
    }),
  }),
  produces: [YAML_TYPE],
  errors: [kernelProblems.invalidPageToken],
});
