import type { Kernel, TenantTransaction } from '@weir/kernel';
import type { Input, Principal, Tenant } from '@weir/kernel/contract';
import {
  isReserved,
  type SampledDataset,
  type SampleFindings,
  type SampleQuestion,
  type SamplesService,
} from '@weir/plugin-datasets/contract';
import { backingProblems } from '../../contract/backing/problems.ts';
import type {
  SuggestedRelationshipView,
  SuggestionsView,
  suggestMappings,
} from '../../contract/backing/suggestions.ts';
import type { VersionDocumentView } from '../../contract/documents.ts';
import type { TableColumn } from '../../model/backing/faults.ts';
import { checkedOnRows, checksSql, covers, placesOf, rowChecks } from '../../model/backing/row-checks.ts';
import {
  type FoundLink,
  type FoundMapping,
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
const SAMPLE_ROWS = 1_000;
/** Values that are looked at of all columns together, and of one. */
const [SAMPLED_VALUES, COLUMN_VALUES] = [5_000, 50];
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
      const { found, columns, checked, rows, more } = await matchedOnRows(samples, looked, { table, type, topK });
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

interface Matched {
  columns: SampledColumn[];
  found: FoundMapping[];
  checked: ReturnType<typeof checkedOnRows>;
  rows: number;
  more: boolean;
}

/**
 * Columns with likely properties. The rows are asked once for values, and for the key and casts that names alone suggest; a second time
 * where values suggest others.
 */
async function matchedOnRows(
  samples: SuggestDeps['samples'],
  of: Looked,
  { table, type, topK }: { table: SampledDataset; type: VersionDocumentView; topK: number },
): Promise<Matched> {
  const bare = table.columns.filter(({ name }) => !isReserved(name)).map((column) => ({ ...column, values: [] }));
  const looked = bare.slice(0, MAX_SAMPLED_COLUMNS);
  const most = MAX_SAMPLED_COLUMNS;
  const likely = foundMappings(type, looked);
  const expected = rowChecks(type, looked, { found: likely, topK, most });
  const { results, rows, more } = await asked(samples, of, looked, [
    valuesSql(looked.length),
    { sql: checksSql(expected, (at) => `c${at}`), maxRows: 1 },
  ]);
  const [values = [], counts = []] = results;
  const columns = bare.map((column, at) => ({ ...column, values: textsOf(values[at]) }));
  const found = foundMappings(type, columns);
  const wanted = rowChecks(type, columns, { found, topK, most });
  if (covers(expected, wanted))
    return { columns, found, rows, more, checked: checkedOnRows(expected, columns, counts) };
  const places = placesOf(wanted);
  const again = await asked(
    samples,
    of,
    places.flatMap((at) => columns[at] ?? []),
    [{ sql: checksSql(wanted, (at) => `c${places.indexOf(at)}`), maxRows: 1 }],
  );
  return { columns, found, rows, more, checked: checkedOnRows(wanted, columns, again.results[0] ?? []) };
}

/** Asks the first rows; a table without columns is not asked. */
async function asked(
  samples: SuggestDeps['samples'],
  { tenant, datasetId, snapshotId, signal }: Looked,
  columns: readonly TableColumn[],
  statements: SampleQuestion['statements'],
): Promise<SampleFindings> {
  if (columns.length === 0) return { rows: 0, more: false, results: [] };
  const names = columns.map(({ name }) => name);
  return samples.ask(tenant, datasetId, { snapshotId, columns: names, rows: SAMPLE_ROWS, statements, signal });
}

/** Some values of each column, as text. */
function valuesSql(columns: number): SampleQuestion['statements'][number] {
  const most = Math.min(COLUMN_VALUES, Math.floor(SAMPLED_VALUES / Math.max(1, columns)));
  const texts = Array.from({ length: columns }, (_, at) => `left(CAST(c${at} AS VARCHAR), ${VALUE_CHARS})`);
  return { sql: `SELECT ${texts.join(', ')} FROM sample ORDER BY r LIMIT ${most}`, maxRows: most };
}

const textsOf = (values: readonly unknown[] = []): string[] => values.filter((value) => typeof value === 'string');

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
