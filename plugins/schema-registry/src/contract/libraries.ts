import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, Nullable, OneOf, Page, paging, Timestamp } from '@weir/kernel/contract';
import { readSchemas, syncLibraries, trySchemas } from './access.ts';
import { CheckResult, Instances } from './checks.ts';
import { schemaProblems } from './problems.ts';
import { DIALECTS, ShownSchema } from './shapes.ts';

/** The library of ours, and that of the smart data models. */
export const CORE = 'core';
export const SMART_DATA_MODELS = 'sdm';

const LibraryId = Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$', description: 'Id of the library' });
const Domain = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9._-]{0,99}$', description: 'A part of the library' });
const SchemaId = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9._:-]{0,199}$',
  description: 'Name of the schema, or `Domain:Name` where several domains have the name',
});
const FullId = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,39}:[A-Za-z][A-Za-z0-9._-]*:[A-Za-z][A-Za-z0-9._-]*(@[A-Za-z0-9._-]{1,40})?$',
  maxLength: 400,
  description: '`library:Domain:Name`, with `@version` for that version alone',
});

const summary = {
  full_id: Type.String(),
  library_id: Type.String(),
  domain: Type.String(),
  schema_id: Type.String(),
  title: Type.String(),
  description: Type.String(),
  version: Type.String(),
  license: Type.String(),
  properties: Type.Integer({ description: 'Members that it declares' }),
};
/** A schema of a library in a list. */
export const LibrarySchema = Type.Object(summary);
export type LibrarySchemaView = Static<typeof LibrarySchema>;

/** A schema of a library. */
export const LibrarySchemaDetail = Type.Object({
  ...summary,
  dialect: OneOf(DIALECTS),
  attribution: Type.String(),
  digest: Type.String(),
  ngsi: Nullable(
    Type.Object({
      types: Type.Record(Type.String(), Type.String(), { description: 'Kind of NGSI attribute by member' }),
    }),
  ),
  json_schema: ShownSchema,
  etag: Type.String(),
});

const Library = Type.Object({
  library_id: Type.String(),
  name: Type.String(),
  version: Type.String(),
  license: Type.String(),
  source: Type.String(),
  domains: Type.Integer(),
  schemas: Type.Integer(),
  synced_at: Timestamp,
});

const libraryParams = Closed({ library_id: LibraryId });

/** `GET /schema-libraries` */
export const listLibraries = endpoint({
  id: 'schema_registry.list_libraries',
  method: 'GET',
  path: '/schema-libraries',
  summary: 'List the libraries of schemas',
  access: readSchemas,
  response: Page(Library),
  cli: {
    words: 'schemas libraries',
    columns: ['library_id', 'name', 'version', 'license', 'domains', 'schemas', 'synced_at as age'],
  },
});

/** `GET /schema-libraries/{library_id}/domains` */
export const listDomains = endpoint({
  id: 'schema_registry.list_domains',
  method: 'GET',
  path: '/schema-libraries/:library_id/domains',
  summary: 'List the domains of a library',
  access: readSchemas,
  params: libraryParams,
  response: Page(Type.Object({ domain: Type.String(), title: Type.String(), schemas: Type.Integer() })),
  errors: [kernelProblems.notFound],
  cli: { words: 'schemas domains', columns: ['domain', 'title', 'schemas'] },
});

/** `GET /schema-libraries/{library_id}/domains/{domain}/schemas` */
export const listDomainSchemas = endpoint({
  id: 'schema_registry.list_domain_schemas',
  method: 'GET',
  path: '/schema-libraries/:library_id/domains/:domain/schemas',
  summary: 'List the schemas of a domain',
  access: readSchemas,
  params: Closed({ library_id: LibraryId, domain: Domain }),
  query: Closed(paging()),
  response: Page(LibrarySchema),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: { words: 'schemas models', columns: ['full_id', 'title', 'version', 'properties'] },
});

/** `GET /schema-libraries/{library_id}/schemas/{schema_id}` */
export const getLibrarySchema = endpoint({
  id: 'schema_registry.get_library_schema',
  method: 'GET',
  path: '/schema-libraries/:library_id/schemas/:schema_id',
  summary: 'Read a schema of a library',
  access: readSchemas,
  params: Closed({ library_id: LibraryId, schema_id: SchemaId }),
  response: LibrarySchemaDetail,
  errors: [kernelProblems.notFound],
});

/** `GET /schema-libraries/schema/{full_id}` */
export const getSchemaByFullId = endpoint({
  id: 'schema_registry.get_schema_by_full_id',
  method: 'GET',
  path: '/schema-libraries/schema/:full_id',
  summary: 'Read a schema by its full id',
  access: readSchemas,
  params: Closed({ full_id: FullId }),
  response: LibrarySchemaDetail,
  errors: [kernelProblems.notFound],
  cli: 'schemas model',
});

/** `GET /schema-libraries/search` */
export const searchLibraries = endpoint({
  id: 'schema_registry.search_libraries',
  method: 'GET',
  path: '/schema-libraries/search',
  summary: 'Search the schemas of all libraries, with typos',
  access: readSchemas,
  query: Closed({
    q: Type.String({ minLength: 1, maxLength: 200, description: 'Words, or parts of them' }),
    library_id: Type.Optional(LibraryId),
    domain: Type.Optional(Domain),
    type: Type.Optional(Type.String({ maxLength: 100, description: 'Only schemas of this name' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Hits at most' })),
  }),
  response: Type.Object({
    items: Type.Array(
      Type.Object({
        full_id: Type.String(),
        title: Type.String(),
        score: Type.Number(),
        highlights: Type.Array(Type.Object({ field: Type.String(), text: Type.String() })),
      }),
    ),
  }),
  cli: { words: 'schemas find', columns: ['full_id', 'title', 'score'] },
});

/** `POST /schema-libraries/validate/{full_id}` */
export const validateByLibrary = endpoint({
  id: 'schema_registry.validate_by_library',
  method: 'POST',
  path: '/schema-libraries/validate/:full_id',
  summary: 'Check documents against a schema of a library',
  description: 'Takes `instance` or `instances`. Invalid data is an answer, not an error.',
  access: trySchemas,
  params: Closed({ full_id: FullId }),
  body: Closed({
    instance: Type.Optional(Type.Unknown({ description: 'A document' })),
    instances: Type.Optional(Instances),
  }),
  example: { instance: { id: 'a' } },
  response: CheckResult,
  errors: [
    ...[kernelProblems.notFound, schemaProblems.sourceUnclear, schemaProblems.schemaNotSupported],
    schemaProblems.schemaTooCostly,
  ],
});

/** `GET /sdm` */
export const getSmartDataModels = endpoint({
  id: 'schema_registry.get_smart_data_models',
  method: 'GET',
  path: '/sdm',
  summary: 'Show what is there of the smart data models',
  access: readSchemas,
  response: Type.Object({
    version: Nullable(Type.String()),
    subjects: Type.Array(Type.Object({ domain: Type.String(), schemas: Type.Integer() })),
    schemas: Type.Integer(),
    attribution: Nullable(Type.String()),
    license: Nullable(Type.String()),
    hint: Nullable(Type.String({ description: 'How to bring them, when they are missing' })),
  }),
  cli: 'schemas sdm',
});

/** `POST /schemas/registry/sync-catalog` */
export const syncCatalog = endpoint({
  id: 'schema_registry.sync_catalog',
  method: 'POST',
  path: '/schemas/registry/sync-catalog',
  summary: 'Load a library from the files of the deployment, or show what that would change',
  access: syncLibraries,
  body: Closed({
    library_id: LibraryId,
    mode: OneOf(['dry_run', 'apply']),
    prune: Type.Optional(Type.Boolean({ description: 'Remove schemas that the file has no more' })),
  }),
  example: { library_id: CORE, mode: 'dry_run' },
  response: Type.Object({
    library_id: Type.String(),
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer(),
    removed: Type.Integer({ description: 'Schemas that the file has no more; they stay unless `prune` is set' }),
  }),
  errors: [kernelProblems.notFound, schemaProblems.libraryInvalid],
  cli: 'schemas sync-catalog',
});
