import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PATIENT_MS } from '../../../test/until.ts';
import {
  type Column,
  type Condition,
  createQueryPool,
  createRewriter,
  createScanner,
  createStager,
  currentSchema,
  type FieldType,
  type FileIO,
  type MergeRequest,
  type PartitionBy,
  planRead,
  prepareAppend,
  prepareOverwrite,
  prepareReplace,
  prepareRewrite,
  prepareRowDelta,
  prepareSchemaUpdate,
  prepareSpecUpdate,
  type RemoteCatalog,
  type RewrittenBin,
  type RowPosition,
  readMetadata,
  replacementSchema,
  type SchemaChange,
  type StagedFile,
  sequenceOf,
  withMetaColumns,
} from '../../src/index.ts';
import { partitionSpec } from '../../src/partition/partition-type.ts';
import { writeRejected } from '../../src/spool/stage-rewrite.ts';
import { line, SHAPE } from '../lake.ts';
import { byCatalog, byFiles, type TableAt } from './table-keeper.ts';

/** The data of one row, by column. */
export type Data = Readonly<Record<string, unknown>>;
export type Workshop = Awaited<ReturnType<typeof openWorkshop>>;

type MergeHow = Pick<MergeRequest, 'mode' | 'strategy'> & { readonly deleteMarker?: string };

/** Few rows a page, so that reading goes on behind a page within files and from file to file. */
const PAGE = 50;
const RUN_ID = 'run-1';

/** A value as every engine is asked to show it: 32-bit integers are digits too. */
function shown(type: FieldType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'int') return String(value);
  if (typeof type === 'string') return value;
  if (type.type === 'list') return (value as unknown[]).map((one) => shown(type.element, one));
  if (type.type === 'map') {
    const entries = (value as { key: unknown; value: unknown }[]).map((entry) => [
      shown(type.key, entry.key),
      shown(type.value, entry.value),
    ]);
    // The entries of a map have no order.
    return entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  }
  return type.fields.map((field) => shown(field.type, (value as Data)[field.name]));
}

/** Rows as texts in an order that is no engine's own. */
export const inOrder = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/**
 * Our own writer and reader over a folder: every call gives the table as it is afterwards. Its tables are kept by a REST
 * catalog if there is one.
 */
export async function openWorkshop(
  root: string,
  io: FileIO,
  { catalog, warehouse = `file://${root}` }: { catalog?: RemoteCatalog; warehouse?: string } = {},
) {
  const scratch = join(root, 'scratch');
  const stager = await createStager({ io, scratch, threads: 1 });
  const pool = createQueryPool({ io, size: 1, threads: 1, deadlineMs: PATIENT_MS });
  const scanner = createScanner({ io });
  const keeper = catalog === undefined ? byFiles(io) : byCatalog(catalog);
  const { writeMetadata, settle } = keeper;
  const folderOf = (at: TableAt): string => `${at.metadata.location}/data/${randomUUID()}`;
  const factsOf = ({ metadata }: TableAt) => {
    const spec = partitionSpec(metadata);
    return { schema: currentSchema(metadata), runId: RUN_ID, ...(spec.fields.length > 0 && { spec }) };
  };

  const stage = async (at: TableAt, rows: readonly Data[], key?: readonly number[]): Promise<readonly StagedFile[]> => {
    const source = join(root, `${randomUUID()}.ndjson`);
    await writeFile(source, rows.map((data) => line(data)).join(''));
    const ordered = key === undefined ? {} : { ordered: true, key };
    const request = { source, shape: SHAPE, folder: folderOf(at), position: 0, ...factsOf(at), ...ordered };
    const { files, rejected } = await stager.copy(request);
    if (rejected !== undefined) throw new Error(`lines were rejected: ${JSON.stringify(rejected)}`);
    return files;
  };

  const known = new Map<string, readonly unknown[][]>();
  const readRows = async ({ metadata }: TableAt, conditions: readonly Condition[]): Promise<readonly unknown[][]> => {
    const schema = currentSchema(metadata);
    const all = await scanner.files(metadata, undefined, { conditions });
    const rows: unknown[][] = [];
    for (let after: RowPosition | undefined; ; ) {
      const files = planRead(all, { limit: PAGE + 1, conditions, sorted: false, after });
      const page = await pool.preview({ files, schema, table: metadata, conditions, after, limit: PAGE });
      rows.push(...page.rows.map((row) => row.map((value, at) => shown(schema.fields[at]!.type, value))));
      if (!page.more) return rows;
      after = page.last;
    }
  };

  return {
    io,
    root,
    async create(columns: readonly Column[], partitionBy: PartitionBy = []): Promise<TableAt> {
      const location = `${warehouse}/${randomUUID()}`;
      return keeper.create(location, columns, partitionBy);
    },
    /** A table of a source: the meta columns stand behind its own. */
    bronze(columns: readonly Column[], partitionBy: PartitionBy = []): Promise<TableAt> {
      return this.create(withMetaColumns(columns), partitionBy);
    },
    async load(metadataLocation: string): Promise<TableAt> {
      return { metadataLocation, metadata: await readMetadata(io, metadataLocation) };
    },
    async append(at: TableAt, rows: readonly Data[]): Promise<TableAt> {
      return settle(await prepareAppend({ io, ...at, writeMetadata, files: await stage(at, rows) }));
    },
    async overwrite(at: TableAt, rows: readonly Data[]): Promise<TableAt> {
      return settle(await prepareOverwrite({ io, ...at, writeMetadata, files: await stage(at, rows) }));
    },
    /** Overwrites all rows under the schema of these columns, and of no others. */
    async replace(at: TableAt, columns: readonly Column[], rows: readonly Data[]): Promise<TableAt> {
      const { schema } = replacementSchema(at.metadata, columns, { others: 'drop' });
      const planned = { metadata: { ...at.metadata, schemas: [schema], 'current-schema-id': schema['schema-id'] } };
      const files = await stage({ ...at, ...planned }, rows);
      return settle(await prepareReplace({ io, ...at, writeMetadata, files, schema }));
    },
    /** Merges by the column `id`. */
    async merge(at: TableAt, rows: readonly Data[], { deleteMarker, ...how }: MergeHow): Promise<TableAt> {
      const facts = factsOf(at);
      const idOf = (name: string) => facts.schema.fields.find((field) => field.name === name)!.id;
      const key = [idOf('id')];
      const batch = await stage(at, rows, key);
      const live = await scanner.files(at.metadata);
      const marker = deleteMarker === undefined ? {} : { deleteMarker: idOf(deleteMarker) };
      const folder = folderOf(at);
      const request = { ...facts, ...how, ...marker, key, batch, live, folder, table: at.metadata };
      const { files, removed } = await stager.merge(request);
      const baseSnapshotId = at.metadata['current-snapshot-id'];
      return settle(await prepareRowDelta({ io, ...at, writeMetadata, files, removed, baseSnapshotId }));
    },
    /** Puts one file in the place of all of each partition, whatever their size. */
    async rewrite(at: TableAt): Promise<TableAt> {
      const { metadata } = at;
      const schema = currentSchema(metadata);
      const groups = Map.groupBy(await scanner.files(metadata), ({ partitionKey }) => partitionKey);
      const rewriter = await createRewriter({ io, scratch: join(scratch, 'rewrites'), threads: 1 });
      const bins: RewrittenBin[] = [];
      for (const files of groups.values()) {
        const request = { files, schema, table: metadata, sortBy: [], targetBytes: 2 ** 27, folder: folderOf(at) };
        const { files: written, deletedRows } = await rewriter.rewrite(request);
        bins.push({ removed: files.map(({ location }) => location), files: written, deletedRows: BigInt(deletedRows) });
      }
      rewriter.close();
      const commit = await prepareRewrite({ io, ...at, writeMetadata, bins, readAt: sequenceOf(metadata) });
      if (commit.dropped.length > 0) throw new Error('bins were dropped');
      return settle(commit);
    },
    async quarantine(
      at: TableAt,
      lines: readonly { position: number; reason: string; raw: Buffer }[],
    ): Promise<TableAt> {
      const rejected = [await writeRejected(join(root, `${randomUUID()}.ndjson`), lines)];
      const file = await stager.quarantine({ ...factsOf(at), rejected, folder: folderOf(at), stream: 's' });
      return settle(await prepareAppend({ io, ...at, writeMetadata, files: file === undefined ? [] : [file] }));
    },
    async change(at: TableAt, changes: readonly SchemaChange[]): Promise<TableAt> {
      return settle(await prepareSchemaUpdate({ io, ...at, writeMetadata, changes }));
    },
    async divide(at: TableAt, partitionBy: PartitionBy): Promise<TableAt> {
      return settle(await prepareSpecUpdate({ io, ...at, writeMetadata, partitionBy }));
    },
    /** All rows that fit, each the list of its columns' values, in no order; read once, as a table never changes. */
    async rows(at: TableAt, conditions: readonly Condition[] = []): Promise<readonly unknown[][]> {
      const asked = JSON.stringify([at.metadataLocation, conditions]);
      const rows = known.get(asked) ?? (await readRows(at, conditions));
      known.set(asked, rows);
      return rows;
    },
    async close(): Promise<void> {
      await pool.close();
      stager.close();
    },
  };
}
