import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import {
  COMPATIBILITIES,
  DIALECTS,
  POLICIES,
  type SchemaChangeView,
  STATUSES,
  type VerdictView,
} from '../contract/shapes.ts';

/** A row of `schemas.subject`: a subject with what lists show of its newest version. */
export const SubjectEntity = defineEntity({
  name: 'SchemaSubject',
  schema: 'schemas',
  tableName: 'subject',
  properties: {
    tenantId: p.uuid().primary(),
    subject: p.text().primary(),
    compatibility: p.enum(COMPATIBILITIES),
    policy: p.enum(POLICIES),
    metadata: p.json<Record<string, string>>(),
    latest: p.integer(),
    digest: p.text(),
    dialect: p.enum(DIALECTS),
    title: p.text(),
    words: p.text(),
    status: p.enum(STATUSES),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    etag: p.integer(),
  },
});
export type SubjectRow = InferEntity<typeof SubjectEntity>;

/** What registering a version said. */
export interface StoredVerdict {
  verdict: VerdictView;
  changes: SchemaChangeView[];
}

/** A row of `schemas.schema_version`. */
export const SchemaVersionEntity = defineEntity({
  name: 'SchemaVersion',
  schema: 'schemas',
  tableName: 'schema_version',
  properties: {
    tenantId: p.uuid().primary(),
    subject: p.text().primary(),
    version: p.integer().primary(),
    digest: p.text(),
    dialect: p.enum(DIALECTS),
    /** Boxed: `true` and `false` are schemas too. */
    jsonSchema: p.json<{ schema: unknown }>(),
    title: p.text(),
    status: p.enum(STATUSES),
    verdict: p.json<StoredVerdict>(),
    registeredBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    etag: p.integer(),
  },
});
export type SchemaVersionRow = InferEntity<typeof SchemaVersionEntity>;
