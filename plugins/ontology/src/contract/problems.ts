import { problem } from '@weir/kernel/contract';

/** Codes of the ontology. */
export const ontologyProblems = {
  entityTypeTaken: problem({
    code: 'entity_type_taken',
    status: 409,
    title: 'The code is taken',
    detail:
      'The tenant has an entity type of this code, perhaps a retired one. Upper and lower case are the same here.',
    hint: 'Choose another code, add a version to the type that is there, or bring a retired one back.',
    next: [{ operation: 'ontology.list_entity_types', text: 'List the entity types' }],
  }),
  entityTypeInvalid: problem({
    code: 'entity_type_invalid',
    status: 422,
    title: 'The entity type is invalid',
    detail: 'The document breaks rules of entity types: errors says where.',
    hint: 'Correct each place that is listed, and send it again.',
  }),
  useVersions: problem({
    code: 'use_versions',
    status: 422,
    title: 'Only a version can change this',
    detail: 'Properties, keys and relationships of an entity type never change within a version.',
    hint: 'Create a version of the entity type with the changed document.',
  }),
  entityTypeInUse: problem({
    code: 'entity_type_in_use',
    status: 409,
    title: 'The entity type is in use',
    detail: 'Others refer to this entity type: used_by says which.',
    hint: 'Change or retire first what refers to it.',
  }),
  statusRefused: problem({
    code: 'entity_type_status_refused',
    status: 422,
    title: 'The status cannot be set',
    detail: 'A draft becomes active, an active type deprecated, and a deprecated or retired one active again.',
    hint: 'Read the entity type to see its status.',
  }),
  versionConflict: problem({
    code: 'version_conflict',
    status: 409,
    title: 'There is a newer version',
    detail: 'The newest version is {version}, and not `base_version`.',
    hint: 'Read the newest version, change that one, and send its number as `base_version`.',
  }),
  incompatibleVersion: problem({
    code: 'incompatible_version',
    status: 409,
    title: 'The version breaks readers',
    detail: 'Readers of the version before would meet what they do not expect: changes says where.',
    hint: 'Undo the changes that are breaking, or allow them with `allow_breaking`.',
  }),
  entityTypeLimit: problem({
    code: 'entity_type_limit',
    status: 409,
    title: 'Too many of them',
    detail: 'A tenant has at most {types} entity types, and a type at most {versions} versions.',
    hint: 'Add a version to a type that is there, or begin a new type.',
  }),
  bindingMissing: problem({
    code: 'ontology_binding_missing',
    status: 403,
    title: 'No ontology tenant',
    detail: 'The deployment binds no ontology tenant to this tenant, or another one than the request names.',
    hint: 'Ask an operator to add the exact alias of the tenant to ONTOLOGY_TENANT_BINDINGS_JSON.',
  }),
  ontologyRefused: problem({
    code: 'ontology_refused',
    status: 502,
    title: 'The ontology service refused it',
    detail: 'The ontology service did not take the entity type. Nothing was stored.',
    hint: 'Look at the log of the ontology service, correct the document, and send it again.',
  }),
  propertyNotIndexed: problem({
    code: 'property_not_indexed',
    status: 422,
    title: 'The property is not indexed',
    detail: 'Entities are found by indexed properties only.',
    hint: 'Filter by a property that is indexed, or add a version in which this one is.',
  }),
};
