import type { Kernel, TenantTransaction } from '@weir/kernel';
import type { Input, Principal, Tenant } from '@weir/kernel/contract';
import { isReserved, type SampledDataset, type SamplesService } from '@weir/plugin-datasets/contract';
import { backingProblems } from '../../contract/backing/problems.ts';
import type {
  SuggestedRelationshipView,
  SuggestionsView,
  suggestMappings,
} from '../../contract/backing/suggestions.ts';
import type { VersionDocumentView } from '../../contract/documents.ts';
import type { TableColumn } from '../../model/backing/faults.ts';
import {
  castSql,
  type FoundLink,
  type FoundMapping,
  fitOf,
  foundLinks,
  foundMappings,
  type LinkTarget,
  mappingView,
  type SampledColumn,
} from '../../model/backing/suggest.ts';
import type { OntologyStore, StoreCall } from '../../model/entity/store.ts';
import { EntityTypeEntity, TypeVersionEntity } from '../../model/rows.ts';
import { labelled } from '../../model/type/document.ts';
import type { OntologyTenants } from '../bindings.ts';
import { targetsOf } from './judge.ts';

/** Rows that a suggestion looks at. */
const SAMPLE_ROWS = 2_000;
/** Values that are looked at of all columns together, and of one. */
const [SAMPLED_VALUES, COLUMN_VALUES] = [20_000, 100];
const VALUE_CHARS = 100;
/** Columns whose values are looked at: each takes memory of its own. Further ones go by their names and types. */
const MAX_SAMPLED_COLUMNS = 200;
/** Keys of a type that columns are compared with, and keys that are looked up in the store. */
const [TARGET_KEYS, LOOKED_UP] = [200, 20];
const DEFAULT_TOP_K = 3;

export interface SuggestDeps {
  kernel: Pick<Kernel, 'db'>;
  samples: Pick<SamplesService, 'describe' | 'ask'>;
  tenants: OntologyTenants;
  store: Pick<OntologyStore, 'reachable' | 'listKeys' | 'getEntity'>;
}

type Body = Input<typeof suggestMappings>['body'];

/** What is looked at, and on whose behalf. */
interface Looked {
  tenant: Tenant;
  datasetId: string;
  snapshotId: string | null;
  signal: AbortSignal;
}

/** Suggests mappings; neither rows nor suggestions are kept. */
export function suggestService(deps: SuggestDeps) {
  const { kernel, samples, tenants, store } = deps;
  return {
    /** Throws what reading the table does, then `ontology_binding_missing`, then `entity_type_missing`. */
    async suggest(
      tenant: Tenant,
      principal: Principal,
      { body, signal }: { body: Body; signal: AbortSignal },
    ): Promise<SuggestionsView> {
      const { dataset_id: datasetId, entity_type_code: code, version, top_k: topK = DEFAULT_TOP_K } = body;
      const table = await samples.describe(tenant, datasetId);
      const call = { tenant, ontologyTenant: tenants.boundTenant(tenant, principal) };
      const { type, ends } = await kernel.db(tenant).transaction(async (tx) => {
        const type = await typeAt(tx, code, version);
        return { type, ends: await targetsOf(tx, { relationship_mappings: type.relationships }) };
      });
      const looked = { tenant, datasetId, snapshotId: table.snapshotId, signal };
      const { columns, rows, more } = await sampled(samples, looked, table);
      const found = foundMappings(type, columns);
      const checked = await checkedOnRows(samples, looked, { type, columns, found, topK });
      const targets = (await store.reachable()) ? await withKeys(store, call, ends) : withoutKeys(ends);
      const links = foundLinks({ code, type }, columns, { targets, keyColumns: checked.key.columns });
      const relationships: SuggestedRelationshipView[] = [];
      for (const link of links) relationships.push(await linkView({ store, call }, link, { columns, targets }));
      const filled = new Set(found.map(({ property }) => property.code));
      const needed = type.properties.filter((one) => one.required || type.primary_key.includes(one.code));
      return {
        mappings: found.map((one) =>
          mappingView(one, columns, {
            topK,
            converts: checked.converts,
            isKey: type.primary_key.includes(one.property.code),
          }),
        ),
        unmapped_required: needed.map((one) => one.code).filter((one) => !filled.has(one)),
        key: checked.key,
        relationships,
        sample: { rows, complete: !more },
      };
    },
  };
}

export type SuggestService = ReturnType<typeof suggestService>;

/** A version of a type with its labels, the newest unless one is named; throws `entity_type_missing`. */
async function typeAt(tx: TenantTransaction, code: string, version: number | undefined): Promise<VersionDocumentView> {
  const row = await tx.findOne(EntityTypeEntity, { code, status: { $ne: 'retired' } });
  const found = row && (await tx.findOne(TypeVersionEntity, { code, version: version ?? row.version }));
  if (row === undefined || found === undefined) throw backingProblems.entityTypeMissing();
  return labelled(found.document, row.labels);
}

/** The columns that may be mapped, with some of their values; those of the platform are left out. */
async function sampled(
  samples: SuggestDeps['samples'],
  of: Looked,
  table: SampledDataset,
): Promise<{ columns: SampledColumn[]; rows: number; more: boolean }> {
  const columns = table.columns.filter(({ name }) => !isReserved(name));
  const looked = columns.slice(0, MAX_SAMPLED_COLUMNS);
  if (looked.length === 0) return { columns: [], rows: 0, more: false };
  const most = Math.min(COLUMN_VALUES, Math.floor(SAMPLED_VALUES / looked.length));
  const texts = looked.map((_, at) => `left(CAST(c${at} AS VARCHAR), ${VALUE_CHARS})`);
  const { results, rows, more } = await samples.ask(of.tenant, of.datasetId, {
    snapshotId: of.snapshotId,
    columns: looked.map(({ name }) => name),
    rows: SAMPLE_ROWS,
    statements: [{ sql: `SELECT ${texts.join(', ')} FROM sample ORDER BY r LIMIT ${most}`, maxRows: most }],
    signal: of.signal,
  });
  const [values = []] = results;
  const valued = columns.map((column, at) => ({ ...column, values: textsOf(values[at]) }));
  return { columns: valued, rows, more };
}

const textsOf = (values: readonly unknown[] = []): string[] => values.filter((value) => typeof value === 'string');

/** Whether the key is one, and which casts lose values, on the sampled rows. */
async function checkedOnRows(
  samples: SuggestDeps['samples'],
  looked: Looked,
  {
    type,
    columns,
    found,
    topK,
  }: { type: VersionDocumentView; columns: readonly SampledColumn[]; found: readonly FoundMapping[]; topK: number },
): Promise<{ key: SuggestionsView['key']; converts(column: string, to: string): boolean }> {
  const parts = type.primary_key.map((code) => found.find(({ property }) => property.code === code)?.chosen.column);
  const keyAt = parts.includes(undefined) ? [] : parts.flatMap((at) => (at === undefined ? [] : [at]));
  const wanted = found.flatMap(({ property, chosen, others }) =>
    [chosen, ...others.slice(0, topK)].flatMap(({ column: at }) => {
      const fit = fitOf(columns[at] as TableColumn, property, type.primary_key.includes(property.code));
      return typeof fit === 'object' ? [{ at, to: fit.to }] : [];
    }),
  );
  const key = { columns: keyAt.map((at) => columns[at]?.name ?? ''), unique: null, nulls: null };
  const used = [...new Set([...keyAt, ...wanted.map(({ at }) => at)])].slice(0, MAX_SAMPLED_COLUMNS);
  if (used.length === 0) return { key, converts: () => true };
  const casts = wanted.filter(({ at }) => used.includes(at));
  const named = (at: number) => `c${used.indexOf(at)}`;
  const lost = casts.map(({ at, to }) => {
    const cast = castSql(named(at), to, { loose: true });
    return `count(*) FILTER (${named(at)} IS NOT NULL AND ${cast} IS NULL)`;
  });
  const whole = keyAt.map((at) => `${named(at)} IS NOT NULL`).join(' AND ') || 'true';
  const distinct = keyAt.length === 0 ? '0' : `count(DISTINCT row(${keyAt.map(named).join(', ')})) FILTER (${whole})`;
  const counts = ['count(*)', `count(*) FILTER (${whole})`, distinct, ...lost];
  const { results } = await samples.ask(looked.tenant, looked.datasetId, {
    snapshotId: looked.snapshotId,
    columns: used.map((at) => columns[at]?.name ?? ''),
    rows: SAMPLE_ROWS,
    statements: [{ sql: `SELECT ${counts.join(', ')} FROM sample`, maxRows: 1 }],
    signal: looked.signal,
  });
  const [rows = 0, keyed = 0, keys = 0, ...losses] = (results[0] ?? []).map(([value]) => Number(value));
  const converting = new Set(
    casts.filter((_, at) => losses[at] === 0).map(({ at, to }) => `${columns[at]?.name}\n${to}`),
  );
  const isKnown = keyAt.length > 0 && rows > 0;
  return {
    key: isKnown ? { ...key, unique: keys === keyed, nulls: rows - keyed } : key,
    converts: (column, to) => converting.has(`${column}\n${to}`),
  };
}

type Ends = ReadonlyMap<string, VersionDocumentView>;

const withoutKeys = (ends: Ends): Map<string, LinkTarget> =>
  new Map([...ends].map(([code, document]) => [code, { document, keys: [] }]));

async function withKeys(store: SuggestDeps['store'], call: StoreCall, ends: Ends): Promise<Map<string, LinkTarget>> {
  const targets = withoutKeys(ends);
  for (const [code, target] of targets) {
    const found = await store.listKeys(call, code, { limit: TARGET_KEYS });
    targets.set(code, { ...target, keys: found.map(({ key }) => key) });
  }
  return targets;
}

/** A relationship with the share of its sampled keys that are entities. */
async function linkView(
  { store, call }: { store: SuggestDeps['store']; call: StoreCall },
  { relationship, columns: names, many, confidence }: FoundLink,
  { columns, targets }: { columns: readonly SampledColumn[]; targets: ReadonlyMap<string, LinkTarget> },
): Promise<SuggestedRelationshipView> {
  const { code, target_type, target_key } = relationship;
  const known = targets.get(target_type)?.keys ?? [];
  const values = columns.find(({ name }) => name === names[0])?.values ?? [];
  const sampledKeys = new Set(
    many === 'split' ? values.flatMap((value) => value.split(',')).map((one) => one.trim()) : values,
  );
  const keys = [...sampledKeys].filter((key) => key !== '').slice(0, LOOKED_UP);
  const canLook = known.length > 0 && names.length === 1 && many !== 'list' && keys.length > 0;
  const found = canLook ? await Promise.all(keys.map((key) => store.getEntity(call, target_type, key))) : [];
  const coverage = canLook ? found.filter((one) => one !== undefined).length / keys.length : null;
  return { relationship: code, columns: names, target_type, target_key, many, confidence, coverage };
}
