import { problem } from '@weir/kernel/contract';

/** Codes of backing datasets. */
export const backingProblems = {
  backingInvalid: problem({
    code: 'backing_dataset_invalid',
    status: 422,
    title: 'The backing dataset is invalid',
    detail: 'The mapping does not fit the table or the entity type: errors says where.',
    hint: 'Correct each place that is listed, and send it again.',
  }),
  entityTypeMissing: problem({
    code: 'entity_type_missing',
    status: 422,
    title: 'The entity type is missing',
    detail: 'The tenant has this entity type not at all, not at this version, or retired.',
    hint: 'Read the entity type, and name a version that it has.',
    next: [{ operation: 'ontology.list_entity_types', text: 'List the entity types' }],
  }),
  identityPolicyUnsupported: problem({
    code: 'identity_policy_unsupported',
    status: 422,
    title: 'Identity policies are not applied yet',
    detail: 'This release syncs rows as they are, and resolves no identities.',
    hint: 'Leave `identity_policy` out, or set it to null.',
  }),
  propertyTaken: problem({
    code: 'property_taken',
    status: 409,
    title: 'Another backing dataset owns the property',
    detail:
      'With `owned_properties` a property belongs to the one backing dataset that maps it: errors says which are taken.',
    hint: 'Map other properties, or take the property from the other backing dataset first.',
    next: [{ operation: 'ontology.list_backing_datasets', text: 'List the backing datasets' }],
  }),
  nameTaken: problem({
    code: 'backing_dataset_name_taken',
    status: 409,
    title: 'The name is taken',
    detail: 'The tenant has a backing dataset of this name. Upper and lower case are the same here.',
    hint: 'Choose another name.',
  }),
  backingLimit: problem({
    code: 'backing_dataset_limit',
    status: 409,
    title: 'Too many backing datasets',
    detail: 'A tenant has at most {limit} backing datasets.',
    hint: 'Delete one that is not needed.',
  }),
  tenantMismatch: problem({
    code: 'tenant_mismatch',
    status: 422,
    title: 'Another tenant is meant',
    detail: 'The body names another tenant than the one that the call is for.',
    hint: 'Leave `tenant` out, or send the header `X-Tenant-ID` with that tenant.',
  }),
  notReady: problem({
    code: 'backing_dataset_not_ready',
    status: 409,
    title: 'The backing dataset is not ready',
    detail: 'A sync would fail: checks says what is missing.',
    hint: 'Correct what is named there, and start the sync again.',
    next: [
      {
        operation: 'ontology.get_backing_dataset_health',
        params: { backing_dataset_id: '{backing_dataset_id}' },
        text: 'Look at its health',
      },
    ],
  }),
  forceNotSupported: problem({
    code: 'force_not_supported',
    status: 409,
    title: 'A replay cannot be forced',
    detail: 'New syncs follow a contract that knows no forced replay.',
    hint: 'Read the capabilities, and start the sync without `force`.',
    next: [{ operation: 'ontology.get_sync_capabilities', text: 'Read the capabilities' }],
  }),
};
