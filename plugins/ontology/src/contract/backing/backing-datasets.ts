import { Kind, type Static, type TNull, type TOptional, type TProperties, type TUnion, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { datasetProblems, NumericSnapshotId } from '@weir/plugin-datasets/contract';
import { listOntology, readOntology, writeOntology } from '../access.ts';
import { ontologyOff } from '../entity-types.ts';
import { ontologyProblems } from '../problems.ts';
import { BackingDocument, backingMembers } from './document.ts';
import { backingProblems } from './problems.ts';

export const BACKING_STATES = ['in_step', 'pending', 'syncing', 'blocked'] as const;

const head = {
  backing_dataset_id: Id,
  tenant: Type.String({ description: 'Alias of the tenant that has it' }),
  ...BackingDocument.properties,
  state: OneOf(BACKING_STATES, {
    description:
      'in_step: the entities are those of the table; pending: a sync is due; syncing: a run is open; blocked: a sync is due, and the last one failed',
  }),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Type.String(),
};
const { property_mappings, primary_key_mapping, relationship_mappings, ...shortHead } = head;

/** What lists show of a backing dataset. */
const BackingDatasetItem = Type.Object({
  ...shortHead,
  properties_count: Type.Integer({ description: 'Properties that it maps' }),
  last_run_id: Nullable(Id),
});
export type BackingDatasetItemView = Static<typeof BackingDatasetItem>;

const Applied = Type.Object(
  {
    sync_spec_fingerprint: Type.String(),
    snapshot_id: NumericSnapshotId({ nullable: true }),
    snapshot_id_exact: Nullable(Type.String({ description: '64-bit snapshot id, all digits' })),
    run_id: Id,
    at: Timestamp,
  },
  { description: 'What the last sync that succeeded has applied; null before the first' },
);

/** A backing dataset with what is applied of it. */
const BackingDataset = Type.Object({
  ...head,
  // A union would let no number of 64 bits through; as an object TypeBox itself would refuse null.
  applied: Type.Unsafe<Static<typeof Applied> | null>({ ...Applied, [Kind]: 'Unsafe', nullable: true }),
  current_sync_spec_fingerprint: Nullable(
    Type.String({ description: 'What a sync would attempt now; null while the table or the type cannot be read' }),
  ),
});
export type BackingDatasetView = Static<typeof BackingDataset>;

export const backingParams = Closed({ backing_dataset_id: idOf('backing dataset') });

/** What a document may be refused for. */
export const ruled = [
  ...[ontologyProblems.bindingMissing, datasetProblems.invalidDatasetId, datasetProblems.datasetNotReadable],
  ...[backingProblems.backingInvalid, backingProblems.entityTypeMissing, backingProblems.identityPolicyUnsupported],
  ...[backingProblems.propertyTaken, backingProblems.nameTaken, backingProblems.tenantMismatch],
  ...[kernelProblems.dependencyUnavailable, ontologyOff],
];

/** Which ontology tenant the caller means. */
export const OntologyTenantMember = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'The ontology tenant, to be sure; another than the bound one is refused',
  }),
);

/** A new backing dataset as a request gives it. */
export const NewBacking = Closed({
  ...backingMembers,
  tenant: Type.Optional(
    Type.String({ maxLength: 200, description: 'Alias of the tenant, to be sure; another one is refused' }),
  ),
  ontology_tenant: OntologyTenantMember,
});
export const newBackingExample = {
  name: 'Vehicles of the fleet',
  dataset_id: 'bronze.demo.fleet__vehicles',
  entity_type_code: 'Vehicle',
  entity_type_version: 1,
  property_mappings: [
    { column: 'vin', property: 'vin' },
    { expression: 'speed_mph * 1.609344', property: 'speed' },
  ],
  primary_key_mapping: [{ column: 'vin', property: 'vin' }],
};

/** `POST /backing-datasets` */
export const createBackingDataset = endpoint({
  id: 'ontology.create_backing_dataset',
  method: 'POST',
  path: '/backing-datasets',
  summary: 'Let a table fill an entity type',
  description: 'The first sync is pending from then on; with `sync: manual` it starts on request alone.',
  access: writeOntology,
  body: NewBacking,
  example: newBackingExample,
  declarative: true,
  maxBodyBytes: 4 * 1024 * 1024,
  status: 201,
  location: '/backing-datasets/:backing_dataset_id',
  response: BackingDataset,
  errors: [...ruled, backingProblems.backingLimit],
  cli: {
    words: 'ontology backing-datasets create',
    columns: ['backing_dataset_id', 'name', 'dataset_id', 'entity_type_code', 'state'],
    examples: [['From a file', 'weir ontology backing-datasets create --file vehicles.yaml']],
  },
});

/** `GET /backing-datasets` */
export const listBackingDatasets = endpoint({
  id: 'ontology.list_backing_datasets',
  method: 'GET',
  path: '/backing-datasets',
  summary: 'List backing datasets with their states',
  description: 'A service or a delegation that names no tenant reads over all of its tenants.',
  access: listOntology,
  query: listQuery(['name', 'created_at', 'updated_at'], {
    entity_type_code: Type.Optional(Type.String({ maxLength: 64, description: 'Only those that fill this type' })),
    dataset_id: Type.Optional(Type.String({ maxLength: 512, description: 'Only those of this table' })),
    name: Type.Optional(Type.String({ maxLength: 200, description: 'Only the one of this name' })),
  }),
  response: Page(BackingDatasetItem),
  errors: [kernelProblems.invalidPageToken, ontologyOff],
  cli: {
    words: 'ontology backing-datasets list',
    columns: ['backing_dataset_id', 'name', 'dataset_id', 'entity_type_code', 'state', 'sync', 'updated_at as age'],
  },
});

/** `GET /backing-datasets/{backing_dataset_id}` */
export const getBackingDataset = endpoint({
  id: 'ontology.get_backing_dataset',
  method: 'GET',
  path: '/backing-datasets/:backing_dataset_id',
  summary: 'Read a backing dataset with what is applied of it',
  access: readOntology,
  params: backingParams,
  response: BackingDataset,
  errors: [kernelProblems.notFound, ontologyOff],
  cli: 'ontology backing-datasets get',
});

type Patched<T extends TProperties> = { [K in keyof T]: TOptional<TUnion<[T[K], TNull]>> };

/** The members as a merge patch has them: null takes one away, so that it has its default again. */
const patched = <T extends TProperties>(members: T) =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, Type.Optional(Nullable(schema))]),
  ) as unknown as Patched<T>;

/** `PATCH /backing-datasets/{backing_dataset_id}` */
export const changeBackingDataset = endpoint({
  id: 'ontology.change_backing_dataset',
  method: 'PATCH',
  path: '/backing-datasets/:backing_dataset_id',
  summary: 'Change a backing dataset by a merge patch',
  description:
    'A list is replaced as a whole, and null gives a member its default again. Whatever changes what a sync does makes one pending, which replays the table; name, `sync` and `max_rejected_rows` do not.',
  access: writeOntology,
  params: backingParams,
  body: Closed({ ...patched(backingMembers), ontology_tenant: OntologyTenantMember }, { minProperties: 1 }),
  example: { sync: 'manual' as const },
  declarative: true,
  maxBodyBytes: 4 * 1024 * 1024,
  response: BackingDataset,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, ...ruled],
  cli: {
    words: 'ontology backing-datasets set',
    columns: ['backing_dataset_id', 'name', 'dataset_id', 'entity_type_code', 'state'],
  },
});

/** `DELETE /backing-datasets/{backing_dataset_id}` */
export const deleteBackingDataset = endpoint({
  id: 'ontology.delete_backing_dataset',
  method: 'DELETE',
  path: '/backing-datasets/:backing_dataset_id',
  summary: 'Delete a backing dataset; its entities are kept unless they are to be removed',
  access: writeOntology,
  params: backingParams,
  query: Closed({
    entities: Type.Optional(
      OneOf(['keep', 'remove'], {
        default: 'keep',
        description: 'remove: entities go that no other backing dataset brings',
      }),
    ),
  }),
  status: 204,
  errors: [
    ...[kernelProblems.notFound, kernelProblems.preconditionFailed, runProblems.runAlreadyActive],
    ...[ontologyProblems.bindingMissing, ontologyOff],
  ],
  cli: {
    words: 'ontology backing-datasets delete',
    confirm: 'Delete the backing dataset? Its history goes with it.',
  },
});

/** `GET /backing-datasets/capabilities` */
export const getSyncCapabilities = endpoint({
  id: 'ontology.get_sync_capabilities',
  method: 'GET',
  path: '/backing-datasets/capabilities',
  summary: 'Show which contract new syncs follow, and what it can do',
  access: listOntology,
  response: Type.Object({
    sync_contract_version: Type.Integer(),
    supports_exact_run_polling: Type.Boolean(),
    supports_force_replay: Type.Boolean(),
  }),
  errors: [ontologyOff],
  cli: 'ontology backing-datasets capabilities',
});
