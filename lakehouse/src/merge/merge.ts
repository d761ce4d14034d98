import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import type { LiveFile } from '../manifest/live-file.ts';
import { DELETED_PATH_ID } from '../manifest/match-deletes.ts';
import type { StagedFile } from '../manifest/stats.ts';
import { parts } from '../query/count-rows.ts';
import { openSource } from '../rows/row-source.ts';
import { lostFields } from '../schema/evolve-schema.ts';
import { FILE_COLUMN, type TableSchema } from '../schema/types.ts';
import type { MergeRequest, MergeResult } from '../stage/stage-types.ts';
import { type DraftFiles, type WriteRequest, type Writer, writeFiles } from '../stage/stage-write.ts';
import { isCopied, mergeCandidates, replacedCandidates } from './merge-candidates.ts';
import {
  broughtSql,
  DELETED_AT,
  FIGURES_SQL,
  FORGET_SQL,
  goneSql,
  HITS_SQL,
  hitsSql,
  type MergePlan,
  markedSql,
  NO_WINNERS_SQL,
  positionsSql,
  type Rows,
  replacedSql,
  type TouchedRows,
  topField,
  untouchedSql,
  winnersSql,
} from './merge-sql.ts';

/** The columns of a position delete file with the ids that the format reserves for them. */
const POSITIONS_SCHEMA: TableSchema = {
  type: 'struct',
  'schema-id': 0,
  fields: [
    { id: DELETED_PATH_ID, name: 'file_path', required: true, type: 'string' },
    { id: 2147483545, name: 'pos', required: true, type: 'long' },
  ],
};

type Figures = Record<'keys' | 'present' | 'updated' | 'deleted' | 'own', string> & { touched: string[] };
type Merge = {
  readonly writer: Writer;
  readonly request: MergeRequest;
  readonly plan: MergePlan;
  /** Files that may hold a key of the batch. */
  readonly candidates: readonly LiveFile[];
  readonly drafts: { readonly draft: DraftFiles; readonly finish: (files: StagedFile[]) => StagedFile[] }[];
};

function planOf(request: MergeRequest): MergePlan {
  const { schema, key, deleteMarker, mode, missing, runId, replacedFiles = [] } = request;
  const deletedAt = schema.fields.find((field) => field.name === DELETED_AT);
  const replaced = replacedSql(schema, replacedFiles);
  if ((!key.length && replacedFiles.length === 0) || (mode === 'soft_delete' && deletedAt?.type !== 'timestamptz')) {
    throw new LakehouseError('schema_conflict', 'A merge needs a key, and soft deletes need a column of their time');
  }
  return {
    schema,
    key: key.map((id) => topField(schema, id)),
    marker: deleteMarker === undefined ? undefined : topField(schema, deleteMarker),
    deletedAt: mode === 'soft_delete' ? deletedAt : undefined,
    missing: mode === 'soft_delete' && missing === true,
    runId,
    replaced,
  };
}

// Another engine may have changed the table since it was prepared: rows that are written anew keep all of its columns. A
// schema that holds them all may have more, which the commit brings.
function newestSchema({ schema, table }: MergeRequest): TableSchema {
  const current = table?.schemas.find((one) => one['schema-id'] === table['current-schema-id']);
  return current === undefined || lostFields(current, schema).length === 0 ? schema : current;
}

// The files are on this machine for as long as the work takes, and no longer.
async function withRows<T>(
  { writer, request }: Merge,
  files: readonly LiveFile[],
  work: (rows: Rows) => Promise<T>,
): Promise<T> {
  const { io, session } = writer;
  const planned = files.map((file, index) => ({ ...file, file: index }));
  const source = await openSource(io, { files: planned, schema: request.schema, table: request.table });
  try {
    const { files: data, positions, keys } = source.source;
    const shapes = await session.shapes([...data, ...positions, ...keys].map(({ path }) => path));
    return await work({ source: source.source, shapes });
  } finally {
    source.release();
  }
}

const staged = (file: StagedFile): LiveFile => ({
  location: file.location,
  recordCount: BigInt(file.record_count),
  sizeBytes: BigInt(file.file_size_in_bytes),
  snapshotId: 0n,
  sequenceNumber: 0n,
  specId: 0,
  partition: {},
  partitionKey: '',
  deletes: [],
  figures: { nulls: null, lower: null, upper: null },
});

async function write(
  { writer, request, drafts }: Merge,
  what: Pick<WriteRequest, 'query' | 'schema' | 'spec' | 'mode'>,
  finish: (files: StagedFile[]) => StagedFile[] = (files) => files,
): Promise<void> {
  drafts.push({ draft: await writeFiles(writer, { ...what, folder: request.folder }), finish });
}

// Deletes over files of one partition lie in one file: a reader looks for them there and nowhere else.
async function writePositions(merge: Merge, touched: readonly Touched[]): Promise<void> {
  for (const group of Map.groupBy(touched, ({ file }) => file.partitionKey).values()) {
    const files = group.map(({ index, file }) => ({ index, location: file.location }));
    const locations = files.map(({ location }) => location).sort(byBytes);
    const first = group[0]?.file;
    const bound = (location: string | undefined) => ({
      [DELETED_PATH_ID]: Buffer.from(location ?? '').toString('base64'),
    });
    const values = Object.entries(first?.partition ?? {});
    const finish = (written: StagedFile[]): StagedFile[] =>
      written.map((one) => ({
        ...one,
        content: 'position_deletes',
        lower_bounds: { ...one.lower_bounds, ...bound(locations[0]) },
        upper_bounds: { ...one.upper_bounds, ...bound(locations.at(-1)) },
        spec_id: first?.specId ?? 0,
        ...(values.length
          ? { partition: Object.fromEntries(values.map(([id, value]) => [id, value?.toString('base64') ?? null])) }
          : {}),
        ...(locations.length === 1 ? { referenced_data_file: locations[0]! } : {}),
      }));
    await write(
      merge,
      { query: positionsSql(files), schema: POSITIONS_SCHEMA, mode: { ordered: true, alone: true } },
      finish,
    );
  }
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

type Touched = { readonly index: number; readonly file: LiveFile };

/** Finds the rows that are hit, a part of the candidates at a time, so that few of their files are here at one time. */
async function findHits(merge: Merge): Promise<void> {
  const { writer, plan, candidates } = merge;
  await writer.session.rows(HITS_SQL);
  let first = 0;
  for (const part of parts(candidates)) {
    await withRows(merge, part, (held) => writer.session.rows(hitsSql(plan, held, first)));
    first += part.length;
  }
}

/** Writes the rows of touched files anew, as far as they stay or are marked, a part of the files at a time. */
async function writeTouched(
  merge: Merge,
  touched: readonly Touched[],
  { copied, brought }: { copied: boolean; brought: readonly string[] },
): Promise<void> {
  const { plan, request } = merge;
  const { schema, spec } = request;
  const writeRows = async (queries: readonly string[]): Promise<void> => {
    if (queries.length) await write(merge, { query: queries.join(' UNION ALL '), schema, ...(spec ? { spec } : {}) });
  };
  const groups = copied || plan.deletedAt ? parts(touched.map(({ file }) => file)) : [];
  if (groups.length === 0) return writeRows(brought);
  let first = 0;
  for (const group of groups) {
    const indexes = touched.slice(first, first + group.length).map(({ index }) => index);
    const before = first === 0 ? brought : [];
    first += group.length;
    await withRows(merge, group, (rows) => {
      const indexed: TouchedRows = { ...rows, indexes };
      const marked = plan.deletedAt ? [markedSql(plan, indexed)] : [];
      return writeRows([...before, ...marked, ...(copied ? [untouchedSql(plan, indexed)] : [])]);
    });
  }
}

async function writeAll(merge: Merge, batch: Rows | undefined, touched: readonly Touched[]): Promise<string[]> {
  const { plan, request } = merge;
  const { strategy, live } = request;
  const copied = strategy ? strategy === 'copy' : isCopied(live, merge.candidates.length, touched.length);
  const isKeyed = plan.key.length > 0;
  await writeTouched(merge, touched, { copied, brought: batch && isKeyed ? [broughtSql(plan, batch)] : [] });
  if (!copied) await writePositions(merge, touched);
  return copied ? touched.map(({ file }) => file.location) : [];
}

async function publishAll({ writer, drafts }: Merge): Promise<StagedFile[]> {
  const done: StagedFile[] = [];
  try {
    for (const { draft, finish } of drafts) done.push(...finish(await draft.publish()));
    return done;
  } catch (error) {
    for (const { location } of done) await writer.io.remove(location).catch(() => undefined);
    throw error;
  }
}

/** The live files that may hold a row which the merge takes out or changes. */
function candidatesOf(
  { key, missing, replaced }: MergePlan,
  request: MergeRequest,
  keyed: readonly StagedFile[],
): LiveFile[] {
  const { live, schema, replacedFiles = [] } = request;
  if (missing) return [...live];
  const byKey = new Set(keyed.length > 0 && key.length > 0 ? mergeCandidates(live, keyed, key) : []);
  const field = schema.fields.find(({ name }) => name === FILE_COLUMN.name);
  const byFile = new Set(replaced && field ? replacedCandidates(live, replacedFiles, field) : []);
  return live.filter((file) => byKey.has(file) || byFile.has(file));
}

/**
 * Merges a batch into the rows of a table: the last row of each key replaces the table's rows of that key, or deletes
 * them. Only files whose bounds allow a key of the batch are read, and of them the key first; of a store elsewhere as
 * many are brought here at one time as are read by one statement. Memory holds the keys of the batch and the places of
 * the rows that they hit; both spill.
 */
export async function mergeBatch(writer: Writer, asked: MergeRequest): Promise<MergeResult> {
  const request = { ...asked, schema: newestSchema(asked) };
  const { batch } = request;
  const plan = planOf(request);
  const files = batch.filter((file) => file.record_count !== '0');
  const { gone = [] } = request;
  const keyed = [...files, ...gone];
  const candidates = candidatesOf(plan, request, keyed);
  const merge: Merge = { writer, request, plan, candidates, drafts: [] };
  const { session } = writer;
  try {
    const isKeyed = plan.key.length > 0;
    return await withRows(merge, isKeyed ? files.map(staged) : [], async (opened) => {
      await session.rows(!isKeyed ? NO_WINNERS_SQL : winnersSql(plan, opened));
      if (gone.length > 0) {
        await withRows(merge, gone.map(staged), (keys) => session.rows(goneSql(plan, keys)));
      }
      await findHits(merge);
      const [figures] = await session.rows<Figures>(FIGURES_SQL);
      const { keys = '0', present = '0', updated = '0', deleted = '0', own = '0', touched = [] } = figures ?? {};
      const rows = files.reduce((sum, { record_count: count }) => sum + Number(count), 0);
      const hit = touched.map(Number).toSorted((a, b) => a - b);
      const removed = await writeAll(
        merge,
        files.length ? opened : undefined,
        hit.map((index) => ({ index, file: candidates[index]! })),
      );
      const counts = {
        inserted: isKeyed ? Number(present) - Number(updated) : rows,
        updated: Number(updated),
        deleted: Number(deleted),
        deduplicated: isKeyed ? rows - Number(keys) : 0,
      };
      const added = await publishAll(merge);
      return { files: isKeyed ? added : [...files, ...added], removed, ...counts, replacedOfRun: Number(own) };
    });
  } catch (error) {
    throw duckdbError(error, 'stage_failed', 'A batch could not be merged');
  } finally {
    for (const { draft } of merge.drafts) await draft.discard();
    await session.rows(FORGET_SQL).catch(() => undefined);
  }
}
