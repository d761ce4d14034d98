import { randomInt } from 'node:crypto';
import { commitMachine, drive } from '@weir/engine';
import type { Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import {
  currentSchema,
  jsonTextColumns,
  LakehouseError,
  nextPartitionSpec,
  type PartitionBy,
  type PartitionSpec,
  unfitColumns,
} from '@weir/lakehouse';
import { endOf, SEEDS } from '../commit/commit-end.ts';
import { replacedBy } from '../commit/find-commit.ts';
import { dataLocation } from '../commit/staged-files.ts';
import type { PreparedTable, PrepareOptions, TableHead, TableRef } from '../contract.ts';
import { type CurrentTable, loadTables, newTableOf, type TableDeps, textOfNew } from '../store/table-store.ts';
import { assertFrozen, draftNew, schemaEffects, type WantedTable } from './schema-effects.ts';
import { fittingColumns, wantedColumns } from './wanted-columns.ts';
import { isEnough, type WantedSchema, wantedSchema } from './wanted-schema.ts';

type Asked = { ref: TableRef; jsonSchema: object } & PrepareOptions;

/** The table as it is to be written, made or evolved now or by the commit; idempotent. */
export async function prepareTable(
  deps: TableDeps,
  tenant: Tenant,
  { ref, jsonSchema, columns: kind, ofFiles, at, ...options }: Asked,
): Promise<PreparedTable> {
  const wanted = wantedColumns(jsonSchema, { columns: kind, ofFiles });
  const asked = { ref, wanted, ...options };
  const { table, brings } = await (at === 'commit' ? laterTable : tableNow)(deps, tenant, asked);
  const schemaWanted = wantedSchema(table, asked);
  const spec = wantedSpec(table, schemaWanted, { ...options, isExact: wanted.isExact === true });
  const view = preparedView(deps, { ref, table, wanted: schemaWanted, spec });
  return { ...view, brings, jsonColumns: jsonTextColumns(jsonSchema) };
}

type Found = { table: CurrentTable; brings: PreparedTable['brings'] };

/** Makes the table or evolves it until its current schema holds every wanted column. */
async function tableNow(deps: TableDeps, tenant: Tenant, asked: WantedTable): Promise<Found> {
  const schema = schemaEffects(deps, tenant, asked);
  const machine = commitMachine({
    tables: [{ commitId: 'schema', isIdle: false, base: undefined, follows: undefined }],
    isAtomic: true,
    storesCheckpointsApart: false,
    seed: randomInt(SEEDS),
  });
  const driver = drive(machine, schema.perform);
  driver.send({ type: 'start' });
  endOf((await driver.ended).result);
  return { table: schema.table(), brings: {} };
}

/** The table as it is, or as it will be made, and what the commit has to bring; nothing is moved and nothing written. */
async function laterTable(deps: TableDeps, tenant: Tenant, asked: WantedTable): Promise<Found> {
  const [there] = await loadTables(deps, tenant, [asked.ref]);
  if (there === undefined && deps.remote !== undefined) return tableNow(deps, tenant, asked);
  const table = there ?? plannedTable(asked) ?? draftNew(deps.warehouse, asked);
  const create = there === undefined ? { create: textOfNew(table) } : {};
  const wanted = wantedSchema(table, asked);
  if (isEnough(wanted)) return { table, brings: create };
  if (asked.policy === 'freeze') assertFrozen(currentSchema(table.metadata), wanted.schema);
  return { table, brings: { ...create, schema: wanted.schema } };
}

/** The table to be made under which files may lie already. */
const plannedTable = ({ planned }: WantedTable): CurrentTable | undefined =>
  planned?.brings.create && newTableOf(planned.brings.create);

/** Names of columns of a JSON schema that the table, as it is, cannot take. */
export async function tableConflicts(
  deps: TableDeps,
  tenant: Tenant,
  { ref, jsonSchema, ...kind }: { ref: TableRef; jsonSchema: object } & Pick<PrepareOptions, 'columns' | 'ofFiles'>,
): Promise<string[]> {
  const [found] = await loadTables(deps, tenant, [ref]);
  if (found === undefined) return [];
  const current = currentSchema(found.metadata);
  return unfitColumns(current, fittingColumns(wantedColumns(jsonSchema, kind), { current }).columns);
}

/** The table as it stands now; `not_found` when there is none. */
export async function tableHead(deps: TableDeps, tenant: Tenant, ref: TableRef): Promise<TableHead> {
  const [found] = await loadTables(deps, tenant, [ref]);
  if (found === undefined) throw kernelProblems.notFound();
  return headOf(found);
}

function headOf({ metadata, metadataLocation }: CurrentTable): TableHead {
  const snapshotId = metadata['current-snapshot-id']?.toString() ?? null;
  return { metadataLocation, snapshotId, replacedBy: replacedBy(metadata) };
}

function preparedView(
  { store }: TableDeps,
  { ref, table, wanted, spec }: { ref: TableRef; table: CurrentTable; wanted: WantedSchema; spec: PartitionSpec },
): Omit<PreparedTable, 'jsonColumns' | 'brings'> {
  const { metadata } = table;
  return {
    ...headOf(table),
    ref,
    location: metadata.location,
    dataLocation: dataLocation(metadata),
    schema: wanted.schema,
    keptColumns: wanted.kept,
    extraColumns: wanted.refused,
    replaces: wanted.replaces && wanted.changed,
    spec,
    replacesSpec: spec['spec-id'] !== metadata['default-spec-id'],
    tableUuid: metadata['table-uuid'],
    store,
  };
}

type Division = Pick<PrepareOptions, 'partitionBy' | 'conflicts'> & { isExact: boolean };

/** The spec under which rows are written: the table's, or for rows that replace all of it the one that is asked for. */
function wantedSpec(
  { metadata }: Pick<CurrentTable, 'metadata'>,
  { schema: { fields } }: Pick<WantedSchema, 'schema'>,
  { partitionBy, conflicts, isExact }: Division,
): PartitionSpec {
  const has = metadata['partition-specs'].find((one) => one['spec-id'] === metadata['default-spec-id']);
  if (has === undefined) throw new LakehouseError('metadata_invalid', 'A table names no partition spec');
  if (!isExact || conflicts !== 'replace' || !partitionBy) return has;
  const names = new Map(fields.map(({ name }) => [name.toLowerCase(), name]));
  const asked = partitionBy.map(({ column, ...how }) => ({
    ...how,
    column: names.get(column.toLowerCase()) ?? column,
  }));
  return nextPartitionSpec(metadata, fields, asked as PartitionBy);
}
