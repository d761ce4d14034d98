import { permission, probe } from '@weir/kernel/contract';

const capability = 'ontology:sync';

/** Whether the ontology is there; a credential is not looked at. */
export const readStatus = probe;
/** One thing: people must name their tenant, and a client that does not means its only one. */
export const readOntology = permission('ontology:read', 'viewer', { tenantHeader: 'users', capability });
/** Lists, which are answered over all tenants of a client that names none. */
export const listOntology = permission('ontology:read', 'viewer', { tenantHeader: 'users', capability, across: true });
export const writeOntology = permission('ontology:write', 'pipeline_editor', { tenantHeader: 'users', capability });
/** Looking at a table and a type together; nothing is stored. */
export const suggestOntology = permission('ontology:read', 'viewer', {
  tenantHeader: 'users',
  capability,
  reads: true,
});
