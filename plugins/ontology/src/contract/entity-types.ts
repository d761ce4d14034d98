import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, listQuery, Nullable, OneOf, Page, Timestamp } from '@weir/kernel/contract';
import { workflowEngineProblems } from '@weir/plugin-workflow-engine/contract';
import { listOntology, readOntology, readStatus, writeOntology } from './access.ts';
import { Code, Description, Icon, TYPE_STATUSES, TypeName, VersionDocument, versionMembers } from './documents.ts';
import { ontologyProblems } from './problems.ts';

/** Every route but the status: the ontology may be switched off. */
export const { featureNotConfigured: ontologyOff } = workflowEngineProblems;

const Status = OneOf(TYPE_STATUSES, {
  description: 'draft, then active, then deprecated; retired: not shown unless asked for',
});
const Version = Type.Integer({ description: 'Counted from 1' });

/** What lists show of an entity type. */
const head = {
  tenant: Type.String({ description: 'Alias of the tenant that has it' }),
  code: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  icon: Nullable(Type.String()),
  status: Status,
  version: Version,
  fingerprint: Type.String({
    description: 'Of the newest version: it changes with what the version says, and with no label',
  }),
  properties_count: Type.Integer(),
  backing_datasets_count: Type.Integer({ description: 'Backing datasets that fill it' }),
  relationships: Type.Array(
    Type.Object({ code: Type.String(), target_type: Type.String(), cardinality: OneOf(['one', 'many']) }),
    { description: 'Of the newest version' },
  ),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Type.String(),
};
export const EntityTypeItem = Type.Object(head);
export type EntityTypeItemView = Static<typeof EntityTypeItem>;

/** An entity type with the document of one version; `version` and `fingerprint` are those of the document. */
export const EntityType = Type.Object({
  ...head,
  latest_version: Version,
  ...VersionDocument.properties,
});
export type EntityTypeView = Static<typeof EntityType>;

/** `GET /ontology/status` */
export const getOntologyStatus = endpoint({
  id: 'ontology.get_status',
  method: 'GET',
  path: '/ontology/status',
  summary: 'Whether the ontology is switched on and its store answers',
  access: readStatus,
  response: Type.Object({
    enabled: Type.Boolean(),
    reachable: Type.Boolean({ description: 'Whether the store answered a moment ago' }),
    adapter: OneOf(['embedded', 'http', 'ngsi-ld']),
    contract_version: Type.Integer({ description: 'Version of the contract that new syncs follow' }),
  }),
  cli: 'ontology status',
});

/** `GET /ontology/entity-types` */
export const listEntityTypes = endpoint({
  id: 'ontology.list_entity_types',
  method: 'GET',
  path: '/ontology/entity-types',
  summary: 'List entity types',
  description:
    'A service or a delegation that names no tenant reads over all of its tenants: in the order of their aliases, and then in that of the list.',
  access: listOntology,
  query: listQuery(['code', 'name', 'created_at', 'updated_at'], {
    status: Type.Optional({ ...Status, description: 'Only types of this status; retired ones are shown by it alone' }),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the code or the name' })),
  }),
  response: Page(EntityTypeItem),
  errors: [kernelProblems.invalidPageToken, ontologyOff],
  cli: {
    words: 'ontology types list',
    columns: ['code', 'name', 'status', 'version', 'properties_count as properties', 'updated_at as age'],
  },
});

const example = {
  code: 'Vehicle',
  name: 'Vehicle',
  properties: [
    { code: 'vin', value_type: 'string' as const, required: true, constraints: { max_length: 17 } },
    { code: 'speed', value_type: 'double' as const, unit: 'km/h' },
    { code: 'country', value_type: 'string' as const, indexed: true },
  ],
  primary_key: ['vin'],
  title_property: 'vin',
};

/** `POST /ontology/entity-types` */
export const createEntityType = endpoint({
  id: 'ontology.create_entity_type',
  method: 'POST',
  path: '/ontology/entity-types',
  summary: 'Create an entity type with its first version',
  access: writeOntology,
  body: Closed({
    code: Code,
    name: Type.Optional(TypeName),
    description: Type.Optional(Nullable(Description)),
    icon: Type.Optional(Nullable(Icon)),
    status: Type.Optional(OneOf(['draft', 'active'], { description: 'draft unless given' })),
    ...versionMembers,
  }),
  example,
  declarative: true,
  status: 201,
  location: '/ontology/entity-types/:code',
  response: EntityType,
  errors: [
    ontologyProblems.entityTypeTaken,
    ontologyProblems.entityTypeInvalid,
    ontologyProblems.entityTypeLimit,
    ontologyProblems.bindingMissing,
    ontologyProblems.ontologyRefused,
    ontologyOff,
  ],
  cli: {
    words: 'ontology types create',
    columns: ['code', 'name', 'status', 'version', 'fingerprint'],
    examples: [['From a file', 'weir ontology types create --file vehicle.yaml']],
  },
});

export const typeParams = Closed({ code: Code });
/** A retired type is shown to those who ask for it. */
export const include = Type.Optional(
  OneOf(['retired'], { description: 'retired: a retired type is shown too; otherwise it is not found' }),
);

/** `GET /ontology/entity-types/{code}` */
export const getEntityType = endpoint({
  id: 'ontology.get_entity_type',
  method: 'GET',
  path: '/ontology/entity-types/:code',
  summary: 'Read an entity type with the document of its newest version, or of another',
  access: readOntology,
  params: typeParams,
  query: Closed({
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The newest unless given' })),
    include,
  }),
  response: EntityType,
  errors: [kernelProblems.notFound, ontologyOff],
  cli: 'ontology types get',
});

const semantic = (what: string) =>
  Type.Optional(Type.Unknown({ description: `${what} only change with a version: 422 \`use_versions\`` }));

/** `PATCH /ontology/entity-types/{code}` */
export const changeEntityType = endpoint({
  id: 'ontology.change_entity_type',
  method: 'PATCH',
  path: '/ontology/entity-types/:code',
  summary: 'Change name, description, icon or status of an entity type; active brings a retired one back',
  access: writeOntology,
  params: typeParams,
  body: Closed(
    {
      name: Type.Optional(TypeName),
      description: Type.Optional(Nullable(Description)),
      icon: Type.Optional(Nullable(Icon)),
      status: Type.Optional(OneOf(['draft', 'active', 'deprecated'])),
      properties: semantic('Properties'),
      primary_key: semantic('Primary keys'),
      title_property: semantic('Titles'),
      relationships: semantic('Relationships'),
    },
    { minProperties: 1 },
  ),
  example: { status: 'active' as const },
  declarative: true,
  response: EntityType,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    ontologyProblems.useVersions,
    ontologyProblems.statusRefused,
    ontologyProblems.bindingMissing,
    ontologyOff,
  ],
  cli: { words: 'ontology types update', columns: ['code', 'name', 'status', 'version'] },
});

/** What refers to an entity type. */
export const TypeUse = Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() });

/** `DELETE /ontology/entity-types/{code}` */
export const retireEntityType = endpoint({
  id: 'ontology.retire_entity_type',
  method: 'DELETE',
  path: '/ontology/entity-types/:code',
  summary: 'Retire an entity type; its code stays taken, its versions and entities are kept',
  access: writeOntology,
  params: typeParams,
  status: 204,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    ontologyProblems.entityTypeInUse,
    ontologyProblems.bindingMissing,
    ontologyOff,
  ],
  cli: { words: 'ontology types retire', confirm: 'Retire the entity type? Its versions and entities are kept.' },
});
