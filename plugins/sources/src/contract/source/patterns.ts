import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, listQuery, Nullable, OneOf, Page } from '@weir/kernel/contract';
import { readSources, reconcilePatternSet, registerPatterns } from '../access.ts';
import { sourceProblems } from '../problems.ts';
import { GivenPattern, PatternId } from './pattern-file.ts';

export { PatternId } from './pattern-file.ts';

/** One field of a connector's configuration that has a meaning of its own. */
export const PatternField = Type.Object({
  path: Type.String({ description: 'JSON pointer into source_config' }),
  type: Type.String(),
  credential: Type.Boolean(),
  place: Type.Optional(Type.Boolean({ description: 'Changing it needs the credentials again' })),
});

/** A connector pattern in a list. */
export const PatternSummary = Type.Object({
  pattern_id: PatternId,
  version: Type.String(),
  name: Type.String({ description: 'Display name' }),
  description: Nullable(Type.String()),
  icon: Nullable(Type.String()),
  category: Nullable(Type.String()),
  image: Type.String(),
  source_name: Type.String(),
  docs: Nullable(Type.String()),
  needs_credentials: Type.Boolean({ description: 'Whether any of its fields is a credential' }),
});

/** A pattern that is retired makes no new sources; those that have it run on. */
export const PATTERN_STATUSES = ['active', 'retired'] as const;

/** A connector pattern with the specification of its configuration. */
export const Pattern = Type.Composite([
  PatternSummary,
  Type.Object({
    status: OneOf(PATTERN_STATUSES),
    spec: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of source_config' }),
    fields: Type.Array(PatternField),
    credential_fields: Type.Array(Type.String(), {
      description: 'JSON pointers into source_config of all fields that are credentials; * stands for any one segment',
    }),
    egress: Type.Array(Type.String(), {
      description:
        'What the connector must reach, host:port, {name} being that member of source_config. It opens nothing: the operator opens the fence',
    }),
  }),
]);
export type PatternView = Static<typeof Pattern>;

/** `GET /patterns/discover` */
export const discoverPatterns = endpoint({
  id: 'sources.list_patterns',
  method: 'GET',
  path: '/patterns/discover',
  summary: 'List the connector patterns',
  access: readSources,
  query: listQuery(['pattern_id'], {}),
  response: Page(PatternSummary),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'patterns list', columns: ['pattern_id', 'version', 'name', 'needs_credentials'] },
});

/** `GET /patterns/{pattern_id}` */
export const getPattern = endpoint({
  id: 'sources.get_pattern',
  method: 'GET',
  path: '/patterns/:pattern_id',
  summary: 'Read one connector pattern',
  access: readSources,
  params: Closed({ pattern_id: PatternId }),
  response: Pattern,
  errors: [kernelProblems.notFound],
  cli: 'patterns get',
});

const MAX_PATTERNS = 1_000;

/** The headers of a signed request: when it was signed, in whole seconds since 1970, and `v1=` with 64 hex digits. */
export const SIGNATURE_HEADERS = { timestamp: 'x-weir-timestamp', signature: 'x-weir-signature' } as const;

/** What became of a pattern. */
export const PatternChange = Type.Object({
  pattern_id: PatternId,
  version: Type.String({ description: 'The version that is in force then' }),
  outcome: OneOf(['created', 'updated', 'unchanged', 'retired']),
});

const writeErrors = [
  sourceProblems.webhookUnauthenticated,
  sourceProblems.webhookRepeated,
  sourceProblems.patternRegistrationClosed,
  sourceProblems.patternInvalid,
  sourceProblems.patternVersionTaken,
  sourceProblems.credentialFieldsRemoved,
];

const EXAMPLE_PATTERN: Static<typeof GivenPattern> = {
  id: 'acme-crm',
  version: '1.0.0',
  display: { name: 'Acme CRM', description: 'Contacts and deals' },
  image: 'registry.example.com/acme/source-crm:1.0.0',
  source_name: 'source-acme-crm',
  protocol: 'airbyte',
  spec: { type: 'object', required: ['api_key'], properties: { api_key: { type: 'string' } } },
  fields: [{ path: '/api_key', type: 'password', credential: true }],
};

/** `POST /patterns/register` */
export const registerPattern = endpoint({
  id: 'sources.register_pattern',
  method: 'POST',
  path: '/patterns/register',
  summary: 'Register one connector pattern, or its next version; the same again changes nothing',
  description:
    'The request is signed with PATTERN_WEBHOOK_SECRET: X-Weir-Timestamp is the time in seconds, X-Weir-Signature is v1= and the hex HMAC-SHA256 over that time, a full stop and the bytes of the body. It counts once and for five minutes.',
  access: registerPatterns,
  body: Closed({ pattern: GivenPattern }),
  example: { pattern: EXAMPLE_PATTERN },
  response: PatternChange,
  errors: writeErrors,
});

/** `POST /patterns/reconcile` */
export const reconcilePatterns = endpoint({
  id: 'sources.reconcile_patterns',
  method: 'POST',
  path: '/patterns/reconcile',
  summary: 'Set all connector patterns at once; those left out are retired, never deleted',
  description: 'The request is signed as that of POST /patterns/register is, with PATTERN_ADMIN_SECRET.',
  access: reconcilePatternSet,
  query: Closed({
    dry_run: Type.Optional(Type.Boolean({ description: 'Tell what would become of each, and change nothing' })),
  }),
  body: Closed({ patterns: Type.Array(GivenPattern, { minItems: 1, maxItems: MAX_PATTERNS }) }),
  example: { patterns: [EXAMPLE_PATTERN] },
  response: Type.Object({ dry_run: Type.Boolean(), items: Type.Array(PatternChange) }),
  errors: writeErrors,
});
