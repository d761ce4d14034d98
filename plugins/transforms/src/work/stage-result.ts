import type { Kernel } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import {
  datasetProblems,
  type InputChange,
  type PinnedInput,
  type PreparedTable,
  type TableCommit,
} from '@weir/plugin-datasets/contract';
import type { Column, PartitionSpec, PinnedRows, StagedFile, TableSchema } from '@weir/plugin-datasets/stage';
import type { LineageColumnView } from '@weir/plugin-lineage/contract';
import type { IncrementShape } from '@weir/sql';
import type { ArtifactContent } from '../model/artifact-content.ts';
import { compileCheck, readsTable } from '../model/checks/compile-check.ts';
import { transformFailed } from '../model/failure/transform-failures.ts';
import { assertKeys, keyChecks } from '../model/key-checks.ts';
import { lineageOf } from '../model/lineage.ts';
import { incrementOf, isDividedBy } from '../model/materialization.ts';
import { chosenCondition, chosenSql } from '../model/partition-choice.ts';
import type { Why } from '../model/why-run.ts';
import type { SelectAsks } from '../service/select/select-asks.ts';
import { chosenPartitions } from './chosen-partitions.ts';
import { passChecks } from './pass-checks.ts';
import type { CarryOutDeps, Job } from './transform-attempt.ts';

/** What a run commits to its output. */
export interface StagedResult {
  change: Pick<
    TableCommit,
    | ('mode' | 'files' | 'staged' | 'deletes' | 'base' | 'partitions')
    | ('schema' | 'create' | 'replaceSchema' | 'replaceSpec')
  >;
  rows: number;
}

type StageDeps = Omit<CarryOutDeps, 'selects'> & { selects: SelectAsks };

interface Asked {
  pins: readonly PinnedInput[];
  why: Why;
  /** Told that an increment does not fit the output, so that the run rebuilds it. */
  becomesFull(why: Why): Promise<void>;
}

/** Writes the result below a folder of the attempt, under the columns that the statement has over these very inputs. */
export async function stageResult(deps: StageDeps, job: Job, asked: Asked): Promise<StagedResult> {
  const { kernel, selects } = deps;
  const { run, signal, log, content } = job;
  const { sql, key, partition_by: partitionBy, incremental } = content;
  const { pins } = asked;
  const chosen = job.place.partitions;
  const asIncrement = incrementOf({ incremental, key: key ?? [], partitionBy: partitionBy ?? [] });
  const described = await selects.describe({ sql, inputs: pins, signal, increment: asIncrement });
  const { columns, increment } = described;
  await keepLineage(kernel, job, lineageOf(sql, columns, described.lineage));
  const { prepared, read, isFull, folder } = await placed(deps, job, { ...asked, columns, increment });
  if (partitionBy !== undefined && !isFull) assertPartitions(prepared, partitionBy);
  log.write({ level: 'info', step: 'statement', message: `the statement runs; ${columns.length} columns` });
  const schema = writtenSchema(prepared, columns);
  const { checks, table, base } = checksOf(job, { prepared, schema, isFull });
  const place = { folder, store: prepared.store, spec: prepared.spec as PartitionSpec, signal };
  const found = await selects.run({
    ...{
      ...place,
      sql: chosen === undefined ? sql : chosenSql(sql, chosen, content),
      schema,
      checks: [...keyChecks(key), ...checks],
      ...(table && { table }),
    },
    ...{ inputs: read.inputs, startedAt: run.createdAt, ...(read.within && { within: read.within }) },
  });
  assertKeys(found.checks);
  await passChecks(kernel, job, found);
  const { files, gone, rows } = found;
  const { brings } = prepared;
  const staged = [...files, ...gone];
  log.write({ level: 'info', step: 'statement', message: `${rows} rows in ${files.length} files`, fields: { rows } });
  if (isFull) {
    const replaceSchema = prepared.replaces ? { replaceSchema: prepared.schema } : {};
    const replaceSpec = prepared.replacesSpec ? { replaceSpec: prepared.spec } : {};
    return { rows, change: { ...brings, mode: 'overwrite', files, staged, ...replaceSchema, ...replaceSpec } };
  }
  if (content.materialization === 'append')
    return { rows, change: { ...brings, mode: 'append', files, staged, ...base } };
  if (partitionBy !== undefined) {
    if (chosen !== undefined) staged.push(...(await chosenPartitions(deps, job, { prepared, chosen, place })));
    return { rows, change: { ...brings, mode: 'overwrite', files, staged, partitions: partitionsOf(staged), ...base } };
  }
  const { metadataLocation, snapshotId } = prepared;
  const into = { metadataLocation, schema: prepared.schema as TableSchema };
  const merged = await selects.merge({ ...place, ...into, key: key ?? [], batch: files, gone, runId: run.runId });
  if (read.isDirect && merged.updated > 0) throw transformFailed('key_doubled', { keys: String(merged.updated) });
  const { files: mergedFiles, removed: deletes } = merged;
  const all = [...staged, ...mergedFiles];
  return { rows, change: { ...brings, mode: 'row_delta', files: mergedFiles, staged: all, deletes, base: snapshotId } };
}

/** Keeps where the columns of a run come from: its inputs may have other columns than when it was hydrated. */
async function keepLineage(
  { db }: Pick<Kernel, 'db'>,
  { tenant, run }: Job,
  lineage: readonly LineageColumnView[],
): Promise<void> {
  await db(tenant).transaction((tx) =>
    tx.sql('update transforms.transform_run set lineage = $3::json where tenant_id = $1 and run_id = $2', [
      ...[tenant.tenantId, run.runId, JSON.stringify(lineage)],
    ]),
  );
}

interface Onto {
  prepared: PreparedTable;
  /** The columns of the result under the ids of the table. */
  schema: TableSchema;
  isFull: boolean;
}

/** The checks of a run, and the table that they read beside the written rows: then, and where steps behind it read the result, the commit is of the table as it was read. */
function checksOf({ content, place }: Job, { prepared, schema, isFull }: Onto) {
  const { checks = [], materialization, key = [], partition_by: partitionBy = [] } = content;
  const { metadataLocation, snapshotId } = prepared;
  const keeps = !isFull && snapshotId !== null;
  const compiled = checks.map((check) => compileCheck(check, new Date(), keeps));
  const chosen = place.partitions;
  // Partitions that are to be emptied are looked up in the table as it was read.
  const isOnto = chosen !== undefined || (!isFull && place.publish !== 'each');
  const base = isOnto ? { base: snapshotId } : {};
  if (!keeps || !checks.some(readsTable)) return { checks: compiled, base };
  const replaces = materialization === 'append' ? [] : [...key, ...partitionBy];
  const goes = chosen === undefined ? {} : { goes: chosenCondition(chosen, content) };
  return { checks: compiled, table: { metadataLocation, schema, replaces, ...goes }, base: { base: snapshotId } };
}

interface Reading {
  inputs: readonly PinnedInput[];
  /** Only rows that no run has read give the result: a key that the table has, has several. */
  isDirect?: boolean;
  within?: { input: string; changed: PinnedRows; columns: readonly string[] };
}

type Prepared = { prepared: PreparedTable; read: Reading; isFull: boolean };
type Described = Asked & { columns: readonly Column[]; increment: IncrementShape | undefined };

/** The output as it is to be written, and what of the inputs is read; an increment that does not fit it becomes full. */
async function prepare(deps: StageDeps, job: Job, described: Described): Promise<Prepared> {
  const { tables } = deps;
  const { tenant, ref, content } = job;
  const { pins, why, columns, becomesFull } = described;
  const partitionBy = content.partition_by?.map((column) => ({ column, transform: 'identity' }));
  const options = { at: 'commit', columns: { exactly: columns }, ...(partitionBy && { partitionBy }) } as const;
  const read = why.extent === 'increment' ? readingOf(content, described) : undefined;
  if (read !== undefined) {
    const prepared = await tables.prepare(tenant, ref, {}, { ...options, conflicts: 'refuse' }).catch(ifIncompatible);
    if (prepared !== undefined && hasAll(columns, prepared)) return { prepared, read, isFull: false };
  }
  if (why.extent === 'increment') await becomesFull({ ...why, reason: 'columns_changed', extent: 'full' });
  const isFull = why.extent !== undefined;
  const conflicts = isFull ? 'replace' : 'refuse';
  return { prepared: await tables.prepare(tenant, ref, {}, { ...options, conflicts }), read: { inputs: pins }, isFull };
}

/** What an increment reads: new rows alone where each gives rows of its own, else all, of which it writes what may change. */
function readingOf(content: ArtifactContent, { pins, increment }: Described): Reading | undefined {
  const { incremental, materialization, key, partition_by: partitionBy } = content;
  const pin = pins.find(({ datasetId }) => datasetId === incremental);
  const change: InputChange | undefined = pin?.change;
  if (pin === undefined || change === undefined || !('plan' in change)) return undefined;
  if (increment === undefined || 'fault' in increment) return undefined;
  const isDirect = increment.shape === 'rows' && change.kind === 'added' && materialization !== 'partition_overwrite';
  if (isDirect) return { isDirect, inputs: pins.map((one) => (one === pin ? { ...one, plan: change.plan } : one)) };
  if (materialization === 'append') return undefined;
  const columns = key ?? partitionBy ?? [];
  return { inputs: pins, within: { input: pin.datasetId, changed: change.plan as PinnedRows, columns } };
}

/**
 * The output as it is to be written, and the folder that the ledger has for it: from then on rewrites of the table wait for this run,
 * and a table that one has moved before is prepared again.
 */
async function placed(deps: StageDeps, job: Job, described: Described): Promise<Prepared & { folder: string }> {
  const { tables } = deps;
  const { tenant, run, leaseEpoch, ref } = job;
  const first = await prepare(deps, job, described);
  const folder = `${first.prepared.dataLocation}/${run.runId}-${leaseEpoch}`;
  await tables.recordStaged(tenant, run.runId, [{ ref, location: folder, isFolder: true }]);
  const { snapshotId } = first.prepared;
  const hasMoved = snapshotId !== null && (await tables.head(tenant, ref)).snapshotId !== snapshotId;
  return { ...(hasMoved ? await prepare(deps, job, described) : first), folder };
}

const INCOMPATIBLE = datasetProblems.schemaIncompatible.entry.code;

function ifIncompatible(error: unknown): undefined {
  if (error instanceof Problem && error.code === INCOMPATIBLE) return undefined;
  throw error;
}

const folded = (columns: readonly { name: string }[]) => new Set(columns.map(({ name }) => name.toLowerCase()));

/** Whether rows of the result have a value for every column of the table, as those of a table that is rebuilt. */
function hasAll(columns: readonly Column[], { schema }: PreparedTable): boolean {
  return folded((schema as TableSchema).fields).isSubsetOf(folded(columns));
}

/** The columns of the table that the result has; rows have no value in the others. */
function writtenSchema({ schema }: PreparedTable, columns: readonly Column[]): TableSchema {
  const table = schema as TableSchema;
  const names = folded(columns);
  return { ...table, fields: table.fields.filter(({ name }) => names.has(name.toLowerCase())) };
}

/** Throws `partitions_differ` for a table that is divided otherwise: only a run that writes all rows divides it anew. */
function assertPartitions({ schema, spec }: PreparedTable, columns: readonly string[]): void {
  const names = new Map((schema as TableSchema).fields.map(({ id, name }) => [id, name]));
  const has = (spec as PartitionSpec).fields.map(({ 'source-id': id, transform }) => ({
    column: names.get(id) ?? '',
    transform,
  }));
  if (!isDividedBy(has, columns)) throw transformFailed('partitions_differ');
}

function partitionsOf(files: readonly StagedFile[]): NonNullable<TableCommit['partitions']> {
  return [...new Map(files.map(({ partition = {} }) => [JSON.stringify(partition), partition])).values()];
}
