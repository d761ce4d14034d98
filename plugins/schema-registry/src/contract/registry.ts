import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  Timestamp,
} from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { readSchemas, trySchemas, writeSchemas } from './access.ts';
import { schemaProblems } from './problems.ts';
import {
  BULK_BYTES,
  CompatibilityMode,
  DIALECTS,
  GivenSchema,
  MAX_BULK,
  MAX_INSTANCES,
  PolicyName,
  SchemaChange,
  ShownSchema,
  STATUSES,
  Subject,
  Verdict,
  Version,
} from './shapes.ts';

const Status = OneOf(STATUSES, { description: 'draft: compared with nothing until it is active' });
const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 1_024 }), {
  description: 'Words of your own, such as an owner',
  maxProperties: 20,
});

/** A subject with its newest version. */
export const SubjectItem = Type.Object({
  subject: Subject,
  version: Version,
  digest: Type.String({ description: 'SHA-256 of the schema in its canonical form' }),
  dialect: OneOf(DIALECTS),
  title: Type.String(),
  compatibility: CompatibilityMode,
  policy: PolicyName,
  status: Status,
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Type.String(),
});
export type SubjectView = Static<typeof SubjectItem>;

const versionFacts = {
  subject: Subject,
  version: Version,
  digest: Type.String(),
  dialect: OneOf(DIALECTS),
  title: Type.String(),
  status: Status,
  verdict: Verdict,
  registered_by: Type.String(),
  created_at: Timestamp,
  etag: Type.String(),
};
export const SchemaVersion = Type.Object(versionFacts);
export const SchemaVersionDetail = Type.Object({ ...versionFacts, json_schema: ShownSchema });
export type SchemaVersionView = Static<typeof SchemaVersion>;

const registration = {
  subject: Subject,
  schema: GivenSchema,
  compatibility: Type.Optional(CompatibilityMode),
  policy: Type.Optional(PolicyName),
  metadata: Type.Optional(Metadata),
  base_version: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The newest version that you know; 0 for a new subject' }),
  ),
};
/** A schema to be registered. */
export const Registration = Closed(registration);
export type RegistrationBody = Static<typeof Registration>;

export const Registered = Type.Object({
  subject: Subject,
  version: Version,
  digest: Type.String(),
  verdict: Verdict,
  changes: Type.Array(SchemaChange),
});
export type RegisteredView = Static<typeof Registered>;

const registering = [
  schemaProblems.schemaNotSupported,
  schemaProblems.schemaTooCostly,
  schemaProblems.schemaIncompatible,
  schemaProblems.versionConflict,
  schemaProblems.subjectLimit,
  schemaProblems.versionLimit,
  kernelProblems.conflict,
];
const schema = {
  type: 'object',
  properties: { id: { type: 'string' }, amount: { type: 'number', minimum: 0 } },
  required: ['id'],
};

/** `GET /schemas/registry` */
export const listSubjects = endpoint({
  id: 'schema_registry.list_subjects',
  method: 'GET',
  path: '/schemas/registry',
  summary: 'List the subjects of the registry with their newest version',
  access: readSchemas,
  query: listQuery(['subject', 'created_at', 'updated_at'], {
    subject: Type.Optional({ ...Subject, description: 'Only this subject' }),
    status: Type.Optional({ ...Status, description: 'Only subjects whose newest version has this status' }),
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the subject or of the title' })),
  }),
  response: Page(SubjectItem),
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'schemas list',
    columns: ['subject', 'version', 'status', 'dialect', 'compatibility', 'policy', 'title', 'updated_at as age'],
  },
});

/** `POST /schemas/registry/register` */
export const registerSchema = endpoint({
  id: 'schema_registry.register_schema',
  method: 'POST',
  path: '/schemas/registry/register',
  summary: 'Register a schema as the next version of a subject, if it is compatible',
  description:
    'A schema that the subject has already answers 200 and stores nothing. An incompatible one is 409: each of its changes names the rule, and a document that one version takes and the other refuses. A dry run answers 200 with the verdict, whatever it is.',
  access: writeSchemas,
  body: Closed({
    ...registration,
    dry_run: Type.Optional(Type.Boolean({ description: 'Judge it and store nothing' })),
  }),
  example: { subject: 'shop.order', schema, compatibility: 'BACKWARD' },
  status: 201,
  unchanged: true,
  location: '/schemas/registry/subjects/:subject/versions/:version',
  response: Registered,
  errors: registering,
  cli: {
    words: 'schemas register',
    examples: [
      ['A file with `subject` and `schema`', 'weir schemas register --file order.yaml'],
      ['What it would break', 'weir schemas register --file order.yaml --dry-run'],
    ],
  },
});

/** `POST /schemas/registry/bulk-register` */
export const bulkRegister = endpoint({
  id: 'schema_registry.bulk_register',
  method: 'POST',
  path: '/schemas/registry/bulk-register',
  summary: 'Register many schemas, each by itself or all or none',
  access: writeSchemas,
  maxBodyBytes: BULK_BYTES,
  body: Closed({
    items: Type.Array(Registration, { minItems: 1, maxItems: MAX_BULK }),
    atomic: Type.Optional(Type.Boolean({ description: 'Store all of them or none' })),
  }),
  example: { items: [{ subject: 'shop.order', schema }], atomic: true },
  response: Type.Object({
    stored: Type.Integer({ description: 'Versions that were stored' }),
    items: Type.Array(
      Type.Object({
        index: Type.Integer(),
        subject: Type.String(),
        result: OneOf(['created', 'unchanged', 'incompatible', 'error'], {
          description: 'With `atomic`, nothing is stored unless each is created or unchanged',
        }),
        version: Nullable(Type.Integer()),
        digest: Nullable(Type.String()),
        verdict: Nullable(Verdict),
        changes: Type.Array(SchemaChange),
        code: Nullable(Type.String({ description: 'Of the problem' })),
        detail: Nullable(Type.String()),
        errors: Type.Array(Type.Object({ pointer: Type.String(), code: Type.String() })),
      }),
    ),
  }),
  errors: [kernelProblems.payloadTooLarge, kernelProblems.conflict],
  cli: {
    words: 'schemas bulk-register',
    columns: ['index', 'subject', 'result', 'version', 'code'],
  },
});

const versionParams = Closed({ subject: Subject, version: Version });

/** `GET /schemas/registry/subjects/{subject}/versions` */
export const listSchemaVersions = endpoint({
  id: 'schema_registry.list_schema_versions',
  method: 'GET',
  path: '/schemas/registry/subjects/:subject/versions',
  summary: 'List the versions of a subject',
  access: readSchemas,
  params: Closed({ subject: Subject }),
  query: listQuery(['version'], {}),
  response: Page(SchemaVersion),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: {
    words: 'schemas versions',
    columns: ['version', 'status', 'dialect', 'verdict.outcome', 'registered_by', 'created_at as age'],
  },
});

/** `GET /schemas/registry/subjects/{subject}/versions/{version}` */
export const getSchemaVersion = endpoint({
  id: 'schema_registry.get_schema_version',
  method: 'GET',
  path: '/schemas/registry/subjects/:subject/versions/:version',
  summary: 'Read one version of a subject with its schema',
  access: readSchemas,
  params: versionParams,
  response: SchemaVersionDetail,
  errors: [kernelProblems.notFound],
  cli: 'schemas get',
});

/** `PATCH /schemas/registry/subjects/{subject}/versions/{version}` */
export const changeSchemaVersion = endpoint({
  id: 'schema_registry.change_schema_version',
  method: 'PATCH',
  path: '/schemas/registry/subjects/:subject/versions/:version',
  summary: 'Change the status of a version',
  description: 'A draft becomes active only if it is compatible.',
  access: writeSchemas,
  params: versionParams,
  body: Closed({ status: Status }),
  example: { status: 'deprecated' },
  response: SchemaVersion,
  errors: [
    ...[kernelProblems.notFound, kernelProblems.preconditionFailed, kernelProblems.conflict],
    ...[schemaProblems.statusUnclear, schemaProblems.schemaIncompatible, schemaProblems.schemaTooCostly],
  ],
  cli: 'schemas change',
});

/** `GET /schemas/registry/subjects/{subject}/versions/{version}/difference` */
export const differSchemaVersions = endpoint({
  id: 'schema_registry.differ_schema_versions',
  method: 'GET',
  path: '/schemas/registry/subjects/:subject/versions/:version/difference',
  summary: 'Show what differs between two versions, and what that breaks',
  access: readSchemas,
  params: versionParams,
  query: Closed({
    to: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The version that is taken as the newer one; the newest unless given' }),
    ),
  }),
  response: Type.Object({
    subject: Subject,
    version: Version,
    to: Version,
    edits: Type.Array(
      Type.Object(
        { pointer: Type.String(), edit: OneOf(['added', 'removed', 'changed']) },
        { description: 'Of the text' },
      ),
    ),
    verdict: Verdict,
    changes: Type.Array(SchemaChange),
  }),
  errors: [kernelProblems.notFound, schemaProblems.schemaTooCostly],
  cli: 'schemas difference',
});

/** `POST /schemas/registry/discover-and-register` */
export const discoverAndRegister = endpoint({
  id: 'schema_registry.discover_and_register',
  method: 'POST',
  path: '/schemas/registry/discover-and-register',
  summary: 'Make a draft of a schema from a dataset, a stream or documents',
  description:
    'Takes exactly one of `dataset_id`, `source_id` with `stream`, and `sample_documents`. A draft is compared with nothing until it becomes active. A schema that the subject has already, and a dry run, answer 200 and store nothing.',
  access: writeSchemas,
  body: Closed({
    subject: Subject,
    dataset_id: Type.Optional(Type.String({ maxLength: 400 })),
    source_id: Type.Optional(Id),
    stream: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Name of a stream of the source' })),
    sample_documents: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1, maxItems: MAX_INSTANCES }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: 'Show the schema and store nothing' })),
  }),
  example: { subject: 'shop.seen', sample_documents: [{ id: 'a', amount: 12.5 }] },
  status: 201,
  unchanged: true,
  location: '/schemas/registry/subjects/:subject/versions/:version',
  response: Type.Object({
    subject: Subject,
    version: Version,
    digest: Type.String(),
    status: Status,
    json_schema: ShownSchema,
  }),
  errors: [
    ...[kernelProblems.notFound, schemaProblems.sourceUnclear, schemaProblems.schemaNotSupported],
    ...[schemaProblems.schemaTooCostly, schemaProblems.subjectLimit, schemaProblems.versionLimit],
    ...[kernelProblems.conflict, datasetProblems.invalidDatasetId, datasetProblems.datasetNotReadable],
  ],
  cli: {
    words: 'schemas discover',
    examples: [['From a table', 'weir schemas discover --subject shop.order --dataset-id bronze.demo.shop__orders']],
  },
});

/** `POST /schemas/registry/search` */
export const searchRegistry = endpoint({
  id: 'schema_registry.search_registry',
  method: 'POST',
  path: '/schemas/registry/search',
  summary: 'Search the newest versions of all subjects, with typos',
  access: trySchemas,
  body: Closed({
    q: Type.String({ minLength: 1, maxLength: 200 }),
    subject: Type.Optional(Type.String({ maxLength: 128, description: 'How the subject begins' })),
    fields: Type.Optional(
      Type.Array(OneOf(['subject', 'title', 'words']), { minItems: 1, maxItems: 3, description: 'Where to look' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  }),
  example: { q: 'order' },
  response: Type.Object({
    items: Type.Array(
      Type.Object({
        subject: Subject,
        version: Version,
        title: Type.String(),
        status: Status,
        score: Type.Number(),
        highlights: Type.Array(Type.Object({ field: Type.String(), text: Type.String() })),
      }),
    ),
  }),
  cli: { words: 'schemas search', columns: ['subject', 'version', 'status', 'title', 'score'] },
});
