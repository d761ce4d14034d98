import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Answer } from '@weir/caller';
import { CARRIER_TYPES } from '../../contract/documents.ts';
import { type BulkJob, CHUNK_ERRORS, MAX_CHUNK_ERRORS, type StoredEntity } from '../../model/entity/store.ts';

/** The bodies of the contract of ontology services; members that it does not name are allowed and ignored. */

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Properties = Type.Record(Type.String(), Type.Unknown());
const Counted = Type.Integer({ minimum: 0 });

export const WireEntities = Type.Object({
  items: Type.Array(
    Type.Object({
      key: Type.String(),
      properties: Properties,
      row_hash: Type.String(),
      type_version: Type.Integer(),
      run_id: Type.String(),
      updated_at: Type.String(),
    }),
  ),
});
export const WireKeys = Type.Object({
  items: Type.Array(Type.Object({ key: Type.String(), row_hash: Type.String() })),
});
export const WireLinks = Type.Object({
  items: Type.Array(Type.Object({ type: Type.String(), key: Type.String(), properties: Nullable(Properties) })),
});
export const WireCounts = Type.Object({
  items: Type.Array(
    Type.Object({
      relationship: Type.String(),
      direction: Type.Union([Type.Literal('out'), Type.Literal('in')]),
      type: Type.String(),
      count: Counted,
    }),
  ),
});
export const WireJob = Type.Object({
  job_id: Type.String({ minLength: 1, maxLength: 200 }),
  operation: Type.Union([Type.Literal('upsert'), Type.Literal('delete')]),
  state: Type.Union([Type.Literal('pending'), Type.Literal('done')]),
  submitted: Counted,
  completed: Counted,
  written: Counted,
  errors: Type.Array(Type.Object({ key_hash: Type.String({ pattern: '^[0-9a-f]{16}$' }), code: Type.String() })),
});
export const WireTenant = Type.Object({ id: Type.String() });
/** What a preflight reads of a type. */
export const WireType = Type.Object({
  code: Type.String(),
  version: Type.Integer(),
  properties: Type.Array(
    Type.Object({ code: Type.String(), carrier_type: Type.Union(CARRIER_TYPES.map((one) => Type.Literal(one))) }),
  ),
  primary_key: Type.Array(Type.String()),
  relationships: Type.Array(
    Type.Object({ code: Type.String(), target_type: Type.String(), target_key: Type.Array(Type.String()) }),
  ),
});
export type LiveType = Static<typeof WireType>;

/** The body of an answer, undefined where it is not what the contract says. */
export function readWire<T extends TSchema>(schema: T, answer: Answer): Static<T> | undefined {
  const body = answer.json();
  return Value.Check(schema, body) ? body : undefined;
}

/** Whether the service says that what the address names is missing, and not some proxy before it. */
export function saysMissing(answer: Answer): boolean {
  if (answer.status !== 404) return false;
  const body = answer.json();
  return typeof body === 'object' && body !== null && 'code' in body && body.code === 'not_found';
}

export const jobOf = ({ job_id, errors, ...job }: Static<typeof WireJob>): BulkJob => ({
  jobId: job_id,
  operation: job.operation,
  state: job.state,
  submitted: job.submitted,
  completed: job.completed,
  written: job.written,
  errors: errors.slice(0, MAX_CHUNK_ERRORS).map(({ key_hash, code }) => ({ keyHash: key_hash, code: codeOf(code) })),
});

/** Reasons that the contract does not name are all one. */
const codeOf = (code: string): BulkJob['errors'][number]['code'] =>
  CHUNK_ERRORS.find((known) => known === code) ?? 'not_storable';

export const entityOf = (one: Static<typeof WireEntities>['items'][number]): StoredEntity => ({
  key: one.key,
  properties: one.properties,
  rowHash: one.row_hash,
  typeVersion: one.type_version,
  runId: one.run_id,
  updatedAt: new Date(one.updated_at),
});
