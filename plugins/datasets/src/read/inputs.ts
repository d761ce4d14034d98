import type { Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import {
  countFiles,
  currentSchema,
  findSnapshot,
  isBelow,
  mainLine,
  pinnedRows,
  rowsSince,
  type TableMetadata,
  type TableSchema,
  toLocation,
} from '@weir/lakehouse';
import {
  datasetProblems,
  type InputChange,
  type InputsService,
  MAX_PINNED_INPUTS,
  nearestName,
  type PinnedInput,
  type TableRef,
} from '../contract.ts';
import { datasetId, parseDatasetId } from '../dataset/dataset-id.ts';
import { mayRead, readableBy } from '../dataset/readable.ts';
import { typeText } from '../dataset/type-text.ts';
import { producedTables } from '../producer/producers.ts';
import { asProblems } from '../store/lakehouse-problem.ts';
import { rowsSnapshotOf } from '../store/rows-snapshot.ts';
import { type CurrentTable, liesWithin, loadTables, type TableDeps } from '../store/table-store.ts';
import { holdInputs, releaseInputs } from '../sweep/holds.ts';
import { markInputs, unmarkInputs } from '../sweep/marks.ts';
import { declaredTables } from './declared-tables.ts';
import { listTables } from './list-tables.ts';

/** Datasets of which the nearest is looked for. */
const MAX_COMPARED = 2_000;
const NO_FILTER = { namespace: undefined, search: undefined, health: undefined, after: undefined, descending: false };

/** Times that the tables of a remote catalog are read until none has moved. */
const MAX_READS = 5;

interface Asked {
  ref: TableRef;
  draft: string | undefined;
  snapshotId: string | null | undefined;
  since: string | null | undefined;
}

/** Pins datasets for runs; every way in passes the one decision of `readableBy`. */
export function inputsService(deps: TableDeps & { catalogName: string }): InputsService {
  return {
    async pin(tenant, asked) {
      if (asked.length > MAX_PINNED_INPUTS) throw kernelProblems.validationFailed({ errors: [] });
      const wanted = asked.map(({ datasetId: id, ...one }) => ({
        ...{ ref: parseDatasetId(id), snapshotId: one.snapshotId, since: one.since, draft: one.draft },
      }));
      const refs = wanted.map(({ ref }) => ref);
      return asProblems(async () => {
        const tables = await oneCut(deps, tenant as Tenant, refs);
        return Promise.all(
          tables.map((table, at) => {
            const one = wanted[at];
            if (one?.draft !== undefined) return pinnedDraft(deps, table, { ...one, draft: one.draft });
            if (table === undefined || one === undefined) throw kernelProblems.notFound();
            return pinned(deps, table, one);
          }),
        );
      });
    },
    declared: (tenant, ids) =>
      asProblems(async () => {
        const tables = await declaredTables(deps, tenant as Tenant, ids.map(parseDatasetId));
        const asked = { snapshotId: undefined, since: undefined, draft: undefined };
        return Promise.all(
          tables.map(async ({ ref, draft, producer, next }) => ({
            datasetId: datasetId(ref),
            producer,
            next,
            pin: draft && (await pinned(deps, draft, { ref, ...asked })),
          })),
        );
      }),
    near: (tenant, id) =>
      deps.kernel.db(tenant as Tenant).transaction(async (tx) => {
        const readable = readableBy(tenant.scope, await producedTables(tx));
        const asked = { ...NO_FILTER, catalogName: deps.catalogName, readable, limit: MAX_COMPARED };
        const { tables } = await listTables(tx, asked);
        return nearestName(
          id,
          tables.map(({ ref }) => datasetId(ref)),
        );
      }),
    hold: (tx, runId, pins) => holdInputs(deps, tx, { runId, pins }),
    release: releaseInputs,
    mark: markInputs,
    unmark: unmarkInputs,
  };
}

/** The tables as they all were at one moment: by one statement, or by two reads with nothing between them. */
async function oneCut(
  deps: TableDeps & { catalogName: string },
  tenant: Tenant,
  refs: readonly TableRef[],
): Promise<(CurrentTable | undefined)[]> {
  const { kernel, scanner, remote, catalogName } = deps;
  const places = await kernel.db(tenant).transaction(async (tx) => {
    const readable = readableBy(tenant.scope, await producedTables(tx));
    if (!refs.every((ref) => mayRead(readable, ref))) throw datasetProblems.datasetNotReadable();
    const { rows } = await tx.sql(
      `select table_namespace || '.' || table_name as id, metadata_location from catalog.iceberg_tables
       where catalog_name = $1 and metadata_location is not null and (table_namespace, table_name) in
         (select namespace, "table" from jsonb_to_recordset($2::jsonb) as asked (namespace text, "table" text))`,
      [catalogName, JSON.stringify(refs)],
    );
    return new Map(rows.map(({ id, metadata_location: place }) => [String(id), String(place)]));
  });
  if (remote !== undefined) return settledCut(deps, tenant, refs);
  const load = async (ref: TableRef): Promise<CurrentTable | undefined> => {
    const metadataLocation = places.get(datasetId(ref));
    return (
      (metadataLocation && { metadataLocation, metadata: await scanner.metadata(ref, metadataLocation) }) || undefined
    );
  };
  return Promise.all(refs.map(load));
}

async function settledCut(deps: TableDeps, tenant: Tenant, refs: readonly TableRef[]) {
  const placesOf = (tables: readonly (CurrentTable | undefined)[]) =>
    JSON.stringify(tables.map((table) => table?.metadataLocation ?? null));
  let tables = await loadTables(deps, tenant, refs);
  for (let read = 1; refs.length > 1; read += 1) {
    const again = await loadTables(deps, tenant, refs);
    if (placesOf(tables) === placesOf(again)) break;
    if (read >= MAX_READS) throw kernelProblems.conflict();
    tables = again;
  }
  return tables;
}

/** The table as a draft has it. That it lies in a folder of this table is what lets this tenant read it. */
async function pinnedDraft(
  deps: TableDeps,
  table: CurrentTable | undefined,
  asked: Asked & { draft: string },
): Promise<PinnedInput> {
  const { ref, draft: metadataLocation } = asked;
  const isOf = (location: string): boolean =>
    liesWithin(deps.warehouse, ref, location) || (table !== undefined && isWithin(table.metadata.location, location));
  if (!isOf(metadataLocation)) throw datasetProblems.datasetNotReadable();
  const metadata = await deps.scanner.metadata(ref, metadataLocation);
  if (!isOf(metadata.location)) throw datasetProblems.datasetNotReadable();
  const published = new Set(table?.metadata.snapshots.map((one) => one['snapshot-id']));
  const base = mainLine(metadata).find((one) => published.has(one['snapshot-id']));
  const draftBase = base?.['snapshot-id'].toString() ?? null;
  return { ...(await pinned(deps, { metadata, metadataLocation }, asked)), draftBase };
}

const isWithin = (folder: string, location: string): boolean => {
  const [outer, inner] = [toLocation(folder), toLocation(location)];
  return inner === outer || isBelow(outer, inner);
};

async function pinned(
  { scanner, store }: TableDeps,
  { metadata, metadataLocation }: CurrentTable,
  { ref, snapshotId, since }: Asked,
): Promise<PinnedInput> {
  const snapshot = snapshotId === null ? undefined : findSnapshot(metadata, snapshotId);
  const schema = schemaAt(metadata, snapshotId === undefined ? undefined : snapshot?.['schema-id']);
  const files = snapshot === undefined ? [] : await scanner.files(metadata, snapshot['snapshot-id']);
  const { rows, bytes } = countFiles(files);
  const to = snapshot === undefined ? null : String(snapshot['snapshot-id']);
  const change = since === undefined ? {} : { change: await changeOf(scanner, metadata, { from: since, to, schema }) };
  return {
    ...change,
    datasetId: datasetId(ref),
    ref,
    tableUuid: metadata['table-uuid'],
    snapshotId: to,
    rowsSnapshotId: rowsSnapshotOf(metadata, snapshot),
    schemaId: schema['schema-id'],
    columns: schema.fields.map(({ name, type }) => ({ name, type: typeText(type) })),
    rows: String(rows),
    bytes: String(bytes),
    metadataLocation,
    plan: pinnedRows(metadata, { files, schema }),
    store,
  };
}

async function changeOf(
  scanner: TableDeps['scanner'],
  metadata: TableMetadata,
  { schema, ...between }: { from: string | null; to: string | null; schema: TableSchema },
): Promise<InputChange> {
  const since = await rowsSince(scanner, metadata, between);
  if (since.kind !== 'added' && since.kind !== 'changed') return since;
  const { kind, files } = since;
  return { kind, plan: pinnedRows(metadata, { files, schema }), rows: String(countFiles(files).rows) };
}

/** The schema of a named snapshot; of the newest one the table's, which may have grown since. */
function schemaAt(metadata: TableMetadata, id: number | undefined) {
  return metadata.schemas.find((one) => one['schema-id'] === id) ?? currentSchema(metadata);
}
