import type { Kernel } from '@weir/kernel';
import { indexedText } from '../../model/entity/key.ts';
import { type EntityChunk, type OntologyStore, StoreFault } from '../../model/entity/store.ts';
import { jobOf, takeChunk } from './take-chunk.ts';

/** Entities of a statement. */
const MAX_CHUNK = 5_000;
/** Links that are counted of an entity, in each direction. */
const MAX_COUNTED = 10_000;

interface Deps {
  db: Kernel['db'];
  /** Whether the database answers. */
  ping(): Promise<boolean>;
}

/** Entities in the database of the platform, behind the wall of their tenant: the ontology tenant changes nothing here. */
export function embeddedStore({ db, ping }: Deps): OntologyStore {
  return {
    capabilities: () => ({ adapter: 'embedded', declaredTypes: false, asyncBulk: false, maxChunk: MAX_CHUNK }),
    reachable: () => ping().catch(() => false),
    // Types are ours, whatever the store is.
    putEntityType: async () => undefined,
    async submitBulk({ tenant }, chunk) {
      if (sizeOf(chunk) > MAX_CHUNK) throw new StoreFault('chunk_too_large');
      return db(tenant).transaction((tx) => takeChunk(tx, chunk));
    },
    getBulkJob: ({ tenant }, jobId) => db(tenant).transaction((tx) => jobOf(tx, jobId)),
    getEntity: ({ tenant }, type, key) =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(`${ENTITY} and entity_key = $3`, [tenant.tenantId, type, key]);
        return rows.map(entityOf)[0];
      }),
    listEntities: ({ tenant }, type, { limit, after: [after] = [], descending = false, filter = {} }) =>
      db(tenant).transaction(async (tx) => {
        const statement = new Statement([tenant.tenantId, type]);
        const found = Object.entries(filter).map(
          ([property, value]) =>
            `and entity_key in (select entity_key from ontology.entity_value where tenant_id = $1 and type_code = $2
               and property = ${statement.bind(property)} and value = ${statement.bind(indexedText(value))})`,
        );
        const behind = after === undefined ? '' : `and entity_key ${descending ? '<' : '>'} ${statement.bind(after)}`;
        const order = `order by entity_key ${descending ? 'desc' : 'asc'} limit ${statement.bind(limit)}`;
        const { rows } = await tx.sql(`${ENTITY} ${found.join(' ')} ${behind} ${order}`, statement.values);
        return rows.map(entityOf);
      }),
    listKeys: ({ tenant }, type, { limit, after: [after = ''] = [] }) =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(KEYS, [tenant.tenantId, type, after, limit]);
        return rows.map(({ entity_key, hash }) => ({ key: String(entity_key), rowHash: String(hash) }));
      }),
    listLinks: (
      { tenant },
      { type, key, relationship, direction },
      { limit, after: [afterType = '', afterKey = ''] = [] },
    ) =>
      db(tenant).transaction(async (tx) => {
        const from = [tenant.tenantId, type, key, relationship, afterType, afterKey, limit];
        const { rows } = await tx.sql(direction === 'out' ? LINKS_OUT : LINKS_IN, from);
        return rows.map(({ far_type, far_key, properties }) => ({
          type: String(far_type),
          key: String(far_key),
          exists: properties !== null,
          properties: (properties ?? undefined) as Record<string, unknown> | undefined,
        }));
      }),
    countLinks: ({ tenant }, { type, key }) =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(COUNTS, [tenant.tenantId, type, key, MAX_COUNTED]);
        return rows.map((row) => ({
          relationship: String(row.relationship),
          direction: row.direction === 'in' ? ('in' as const) : ('out' as const),
          type: String(row.far_type),
          count: Number(row.links),
        }));
      }),
  };
}

const sizeOf = (chunk: EntityChunk): number => (chunk.operation === 'upsert' ? chunk.items : chunk.keys).length;

/** Values of a statement, each under its number. */
class Statement {
  readonly values: unknown[];

  constructor(values: unknown[]) {
    this.values = values;
  }

  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

const ENTITY = `
select entity_key, properties, encode(row_hash, 'hex') as hash, type_version, run_id, updated_at
from ontology.entity where tenant_id = $1 and type_code = $2`;

const KEYS = `
select entity_key, encode(row_hash, 'hex') as hash from ontology.entity
where tenant_id = $1 and type_code = $2 and entity_key > $3 order by entity_key limit $4`;

/** Links with the entities at their other ends, of which some may be missing. */
const linksBy = (near: string, far: string) => `
select l.${far}_type as far_type, l.${far}_key as far_key, e.properties
from (select type_code as entity_type, entity_key, relationship, target_type, target_key from ontology.link
  where tenant_id = $1 and ${near === 'entity' ? 'type_code' : 'target_type'} = $2 and ${near}_key = $3 and relationship = $4) l
left join ontology.entity e
  on e.tenant_id = $1 and e.type_code = l.${far}_type and e.entity_key = l.${far}_key
where (l.${far}_type, l.${far}_key) > ($5, $6)
order by l.${far}_type, l.${far}_key limit $7`;
const LINKS_OUT = linksBy('entity', 'target');
const LINKS_IN = linksBy('target', 'entity');

const COUNTS = `
select 'out' as direction, relationship, target_type as far_type, count(*) as links
from (select relationship, target_type from ontology.link
  where tenant_id = $1 and type_code = $2 and entity_key = $3 limit $4) as outgoing group by relationship, target_type
union all
select 'in', relationship, type_code, count(*)
from (select relationship, type_code from ontology.link
  where tenant_id = $1 and target_type = $2 and target_key = $3 limit $4) as incoming group by relationship, type_code
order by 1 desc, 2, 3`;

const entityOf = (row: Record<string, unknown>) => ({
  key: String(row.entity_key),
  properties: row.properties as Record<string, unknown>,
  rowHash: String(row.hash),
  typeVersion: Number(row.type_version),
  runId: String(row.run_id),
  updatedAt: new Date(String(row.updated_at)),
});
