import type { TenantTransaction } from '@weir/kernel';
import { chunkDigest, indexedTexts, itemFault, keyFault, storable } from '../../model/entity/key.ts';
import {
  type BulkJob,
  type EntityChunk,
  type EntityItem,
  MAX_CHUNK_ERRORS,
  StoreFault,
} from '../../model/entity/store.ts';

/** The longest that one statement of a chunk may take. */
const STATEMENT_MS = '15000';
/** How long a chunk is remembered: longer than its run may take. */
const REMEMBERED_DAYS = 30;

type Upsert = Extract<EntityChunk, { operation: 'upsert' }>;
type Deletion = Extract<EntityChunk, { operation: 'delete' }>;

/** Takes a chunk once, all or none of it; the same one again answers as before. Throws a `StoreFault`. */
export async function takeChunk(tx: TenantTransaction, chunk: EntityChunk): Promise<BulkJob> {
  const digest = chunkDigest(chunk);
  const { tenantId } = tx.tenant;
  const place = [tenantId, chunk.runId, chunk.operation, chunk.seq];
  // Two that bring the same chunk at once meet here: the second waits, and finds what the first has done.
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`ontology:chunk:${place.join(':')}`]);
  const known = (await tx.sql(`${JOB} and seq = $4`, place)).rows[0];
  if (known !== undefined && known.digest !== digest) throw new StoreFault('chunk_changed');
  if (known !== undefined) return jobView(known);
  await tx.sql(`select set_config('statement_timeout', $1, true)`, [STATEMENT_MS]);
  if (chunk.seq === 0) await tx.sql(FORGET, [tenantId, REMEMBERED_DAYS]);
  const done = chunk.operation === 'upsert' ? await upsert(tx, chunk) : await remove(tx, chunk);
  const errors = JSON.stringify(done.errors.slice(0, MAX_CHUNK_ERRORS));
  const { submitted, completed, written } = done;
  const { rows } = await tx.sql(KEEP_JOB, [...place, digest, submitted, completed, written, errors]);
  return jobView(rows[0] ?? {});
}

/** A chunk that was taken. */
export async function jobOf(tx: TenantTransaction, jobId: string): Promise<BulkJob | undefined> {
  const [, runId, operation, seq] = /^([0-9a-f-]{36}):(upsert|delete):(\d{1,9})$/.exec(jobId) ?? [];
  if (runId === undefined) return undefined;
  const { rows } = await tx.sql(`${JOB} and seq = $4`, [tx.tenant.tenantId, runId, operation, Number(seq)]);
  return rows.map(jobView)[0];
}

const JOB = `
select run_id, operation, seq, digest, submitted, completed, written, errors from ontology.bulk_job
where tenant_id = $1 and run_id = $2 and operation = $3`;

const KEEP_JOB = `
insert into ontology.bulk_job
  (tenant_id, run_id, operation, seq, digest, submitted, completed, written, errors, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, now())
returning run_id, operation, seq, submitted, completed, written, errors`;

const FORGET = 'delete from ontology.bulk_job where tenant_id = $1 and created_at < now() - make_interval(days => $2)';

const jobView = (row: Record<string, unknown>): BulkJob => ({
  jobId: `${row.run_id}:${row.operation}:${row.seq}`,
  operation: row.operation === 'delete' ? 'delete' : 'upsert',
  state: 'done',
  submitted: Number(row.submitted),
  completed: Number(row.completed),
  written: Number(row.written),
  errors: row.errors as BulkJob['errors'],
});

const UPSERT = `
insert into ontology.entity as kept
  (tenant_id, type_code, entity_key, properties, row_hash, type_version, run_id, updated_at)
select $1, $2, k, p, decode(h, 'hex'), $3, $4, now() from jsonb_to_recordset($5::jsonb) as given (k text, p jsonb, h text)
on conflict (tenant_id, type_code, entity_key) do update
  set properties = excluded.properties, row_hash = excluded.row_hash, type_version = excluded.type_version,
    run_id = excluded.run_id, updated_at = excluded.updated_at, revision = kept.revision + 1
  where kept.row_hash <> excluded.row_hash or kept.type_version <> excluded.type_version
returning entity_key, revision = 1 as is_new`;

const KEEP_VALUES = `
insert into ontology.entity_value (tenant_id, type_code, entity_key, property, value)
select $1, $2, k, p, v from jsonb_to_recordset($3::jsonb) as given (k text, p text, v text)`;

const KEEP_LINKS = `
insert into ontology.link (tenant_id, type_code, entity_key, relationship, target_type, target_key)
select $1, $2, k, r, t, f from jsonb_to_recordset($3::jsonb) as given (k text, r text, t text, f text)
on conflict do nothing`;

const DROP = (table: string) =>
  `delete from ontology.${table} where tenant_id = $1 and type_code = $2 and entity_key = any ($3::text[])`;
const [DROP_VALUES, DROP_LINKS, DROP_ENTITIES] = ['entity_value', 'link', 'entity'].map(DROP) as [
  string,
  string,
  string,
];

async function upsert(tx: TenantTransaction, { items, type, runId }: Upsert) {
  const { good, errors } = storable(items, ({ key }) => key, itemFault);
  const at = [tx.tenant.tenantId, type.code];
  const given = good.map(({ key, properties, rowHash }) => ({ k: key, p: properties, h: rowHash }));
  const { rows } = await tx.sql(UPSERT, [...at, type.version, runId, JSON.stringify(given)]);
  const changed = rows.filter(({ is_new }) => is_new !== true).map(({ entity_key }) => String(entity_key));
  for (const drop of changed.length > 0 ? [DROP_VALUES, DROP_LINKS] : []) await tx.sql(drop, [...at, changed]);
  const written = new Set(rows.map(({ entity_key }) => String(entity_key)));
  const fresh = good.filter(({ key }) => written.has(key));
  const values = fresh.flatMap((item) => valuesOf(item, type.indexed));
  if (values.length > 0) await tx.sql(KEEP_VALUES, [...at, JSON.stringify(values)]);
  const links = fresh.flatMap(({ key, links: to }) =>
    to.map(({ relationship, targetType, targetKey }) => ({ k: key, r: relationship, t: targetType, f: targetKey })),
  );
  if (links.length > 0) await tx.sql(KEEP_LINKS, [...at, JSON.stringify(links)]);
  return { submitted: items.length, completed: good.length, written: rows.length, errors };
}

const valuesOf = ({ key, properties }: EntityItem, indexed: readonly string[]) =>
  indexed.flatMap((property) => indexedTexts(properties[property]).map((value) => ({ k: key, p: property, v: value })));

async function remove(tx: TenantTransaction, { keys, type }: Deletion) {
  const { good, errors } = storable(keys, (key) => key, keyFault);
  const at = [tx.tenant.tenantId, type.code, good];
  const { rowCount } = await tx.sql(DROP_ENTITIES, at);
  await tx.sql(DROP_VALUES, at);
  await tx.sql(DROP_LINKS, at);
  return { submitted: keys.length, completed: good.length, written: rowCount, errors };
}
