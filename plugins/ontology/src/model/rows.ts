import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { TYPE_STATUSES, type VersionDocumentView } from '../contract/documents.ts';
import { type TypeChangeView, VERDICTS } from '../contract/type-versions.ts';
import type { TypeLabels } from './type/document.ts';

/** A relationship of the newest version, as lists show it. */
export interface ShortRelationship {
  code: string;
  target_type: string;
  cardinality: 'one' | 'many';
}

/** A row of `ontology.entity_type`: an entity type with what lists show of its newest version. */
export const EntityTypeEntity = defineEntity({
  name: 'EntityType',
  schema: 'ontology',
  tableName: 'entity_type',
  properties: {
    tenantId: p.uuid().primary(),
    code: p.text().primary(),
    name: p.text(),
    description: p.text().nullable(),
    icon: p.text().nullable(),
    status: p.enum(TYPE_STATUSES),
    version: p.integer(),
    fingerprint: p.text(),
    labels: p.json<TypeLabels>(),
    propertiesCount: p.integer(),
    relationships: p.json<ShortRelationship[]>(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    etag: p.integer(),
  },
});
export type EntityTypeRow = InferEntity<typeof EntityTypeEntity>;

/** A row of `ontology.entity_type_version`, which is only ever added. */
export const TypeVersionEntity = defineEntity({
  name: 'EntityTypeVersion',
  schema: 'ontology',
  tableName: 'entity_type_version',
  properties: {
    tenantId: p.uuid().primary(),
    code: p.text().primary(),
    version: p.integer().primary(),
    fingerprint: p.text(),
    document: p.json<VersionDocumentView>(),
    verdict: p.enum(VERDICTS).nullable(),
    changes: p.json<TypeChangeView[]>(),
    note: p.text().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(),
  },
});
export type TypeVersionRow = InferEntity<typeof TypeVersionEntity>;
