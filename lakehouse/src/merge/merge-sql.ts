import { identifier, literal, sqlType } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';
import { column, liveRowsSql, type RowSource, type Shapes } from '../rows/live-rows.ts';
import { FILE_COLUMN, type Field, type TableSchema } from '../schema/types.ts';

/** A relation of files that were opened: their rows, and of which file of a list each row is. */
export type Rows = { readonly source: RowSource; readonly shapes: Shapes };

/** What a merge is about, taken from its request. */
export type MergePlan = {
  readonly schema: TableSchema;
  readonly key: readonly Field[];
  /** The field whose value in the batch deletes the row of a key. */
  readonly marker: Field | undefined;
  /** With soft deletes: the field that says since when a row is deleted. */
  readonly deletedAt: Field | undefined;
  readonly missing: boolean;
  readonly runId: string;
  /** Which live rows the batch replaces by the file that they are from; undefined where it replaces none. */
  readonly replaced: string | undefined;
};

/** The field in which a softly deleted row says since when it is. */
export const DELETED_AT = '_deleted_at';
/** A file has fewer rows. */
const ROWS_PER_FILE = 2 ** 40;

const WINNER = 'weir_merge_winner';
const HIT = 'weir_merge_hit';
const [RUN, EXTRACTED] = ['_run_id', '_extracted_at'];

const fieldNamed = (schema: TableSchema, name: string): Field | undefined =>
  schema.fields.find((field) => field.name === name);

/** The field of an id at the top of a schema; `schema_conflict` when there is none. */
export function topField(schema: TableSchema, id: number): Field {
  const field = schema.fields.find((one) => one.id === id);
  if (field && typeof field.type === 'string') return field;
  throw new LakehouseError('schema_conflict', 'A key or delete marker is no column of one value');
}

const place = `file_index * ${ROWS_PER_FILE} + file_row_number`;
const sameKey = (key: readonly Field[], row: string, winner: string): string =>
  key.map((field) => `${row}.${column(field)} = ${winner}.${column(field)}`).join(' AND ');

function rowsSql({ source, shapes }: Rows, fields: readonly Field[]): string {
  if (source.files.length) return liveRowsSql(source, fields, shapes);
  const none = fields.map((field) => `CAST(NULL AS ${sqlType(field.type)}) AS ${column(field)}, `).join('');
  return `SELECT ${none}0::BIGINT AS file_index, 0::BIGINT AS file_row_number WHERE false`;
}

// A marker is a time in change data; where it is not, the row was deleted when it was read.
function stampSql({ schema, marker }: MergePlan): string {
  const extracted = fieldNamed(schema, EXTRACTED);
  const times = [
    ...(marker ? [`try_cast(${column(marker)}::VARCHAR AS TIMESTAMPTZ)`] : []),
    ...(extracted ? [column(extracted)] : []),
    'now()',
  ];
  return `coalesce(${times.join(', ')})`;
}

/** Of a batch without a key no row is looked up. */
export const NO_WINNERS_SQL: string = `CREATE OR REPLACE TEMP TABLE ${WINNER} (place BIGINT, gone BOOLEAN, stamp TIMESTAMPTZ)`;

/** The live rows that come from some files; null stands for rows that a sync wrote without the name of their file. */
export function replacedSql(schema: TableSchema, files: readonly (string | null)[]): string | undefined {
  const [file, run] = [fieldNamed(schema, FILE_COLUMN.name), fieldNamed(schema, RUN)];
  if (files.length === 0 || file === undefined) return undefined;
  const name = `r.${column(file)}`;
  const named = files.filter((one) => one !== null).map(literal);
  const isUnnamed = run === undefined ? `${name} IS NULL` : `(${name} IS NULL AND r.${column(run)} IS NOT NULL)`;
  return [
    ...(named.length === 0 ? [] : [`${name} IN (${named.join(', ')})`]),
    ...(files.includes(null) ? [isUnnamed] : []),
  ].join(' OR ');
}

/** The last row of each key in the batch, by its place; `gone` when that row deletes its key. */
export function winnersSql(plan: MergePlan, batch: Rows): string {
  const { key, marker, schema } = plan;
  const extracted = fieldNamed(schema, EXTRACTED);
  const wanted = [...key, ...(marker ? [marker] : []), ...(extracted ? [extracted] : [])];
  const keys = key.map(column).join(', ');
  return `CREATE OR REPLACE TEMP TABLE ${WINNER} AS
    SELECT ${keys}, max(place) AS place, arg_max(gone, place) AS gone, arg_max(stamp, place) AS stamp
    FROM (SELECT *, ${place} AS place, ${marker ? `${column(marker)} IS NOT NULL` : 'false'} AS gone,
        ${stampSql(plan)} AS stamp
      FROM (${rowsSql(batch, wanted)})) GROUP BY ${keys}`;
}

/** Adds keys whose rows are deleted, none of which the batch has. */
export function goneSql({ key, schema }: MergePlan, gone: Rows): string {
  const fields = schema.fields.filter((field) => key.includes(field));
  const keys = key.map(column).join(', ');
  return `INSERT INTO ${WINNER} SELECT ${keys}, -1 - row_number() OVER (), true, now() FROM (${rowsSql(gone, fields)})`;
}

/** Holds, once they are known, the live rows that the merge takes out or changes. */
export const HITS_SQL: string = `CREATE OR REPLACE TEMP TABLE ${HIT} (file_index BIGINT, file_row_number BIGINT,
  place BIGINT, gone BOOLEAN, stamp TIMESTAMPTZ, own BOOLEAN)`;

/**
 * The live rows of some of the candidates, the first of them being `first`-th of all, that the merge takes out or changes: where they are, the place of the batch's row for their key (none
 * when the batch lacks it), whether they are deleted and whether this run had written them. A row that is softly deleted
 * already stays as it is.
 */
export function hitsSql(plan: MergePlan, live: Rows, first: number): string {
  const { key, schema, deletedAt, missing, replaced, runId } = plan;
  const run = fieldNamed(schema, RUN);
  const file = fieldNamed(schema, FILE_COLUMN.name);
  const wanted = [...key, ...[run, deletedAt, file].filter((field) => field !== undefined)];
  const rows = `(${rowsSql(live, wanted)}) r`;
  const own = run ? `coalesce(r.${column(run)} = ${literal(runId)}, false)` : 'false';
  const where = deletedAt ? `WHERE NOT (w.gone AND r.${column(deletedAt)} IS NOT NULL)` : '';
  const index = `r.file_index + ${first}`;
  const found = `SELECT ${index}, r.file_row_number, w.place, w.gone, w.stamp, ${own} AS own
    FROM ${rows} JOIN ${WINNER} w ON ${sameKey(key, 'r', 'w')} ${where}`;
  const lacks = [...(missing && deletedAt ? ['true'] : []), ...(replaced === undefined ? [] : [`(${replaced})`])].join(
    ' OR ',
  );
  const unmatched = key.length === 0 ? '' : `ANTI JOIN ${WINNER} w ON ${sameKey(key, 'r', 'w')}`;
  const absent = `SELECT ${index}, r.file_row_number, NULL, true, now(), ${own}
    FROM ${rows} ${unmatched} WHERE (${lacks}) ${deletedAt ? `AND r.${column(deletedAt)} IS NULL` : ''}`;
  const selects = [...(key.length === 0 ? [] : [found]), ...(lacks === '' ? [] : [absent])];
  return `INSERT INTO ${HIT} ${selects.join(' UNION ALL ')}`;
}

/** Counts of a merge, and the touched files by index with the number of their hits. */
export const FIGURES_SQL: string = `SELECT
    (SELECT count(*) FROM ${WINNER} WHERE place >= 0) AS keys,
    (SELECT count(*) FROM ${WINNER} WHERE NOT gone) AS present,
    count(DISTINCT place) FILTER (NOT gone) AS updated,
    count(DISTINCT place) FILTER (gone) + count(*) FILTER (place IS NULL) AS deleted,
    count(*) FILTER (own) AS own, coalesce(list(DISTINCT file_index), []) AS touched
  FROM ${HIT}`;

/** The files of the list in which a row was hit, in the order of a list of their own. */
export type TouchedRows = Rows & { readonly indexes: readonly number[] };

const original = ({ indexes }: TouchedRows): string => `CAST([${indexes.join(', ')}] AS BIGINT[])[r.file_index + 1]`;

function selected(schema: TableSchema, changed: ReadonlyMap<string, string> = new Map()): string {
  return schema.fields
    .map((field) => `${changed.get(field.name) ?? `r.${column(field)}`} AS ${identifier(field.name)}`)
    .join(', ');
}

/** The rows that the batch brings: the last one of each key that it does not delete. */
export function broughtSql({ schema }: MergePlan, batch: Rows): string {
  return `SELECT ${selected(schema)} FROM (SELECT *, ${place} AS place
      FROM (${rowsSql(batch, schema.fields)})) r
    SEMI JOIN (SELECT place FROM ${WINNER} WHERE NOT gone) w ON r.place = w.place`;
}

/** The rows that are marked as deleted: as they were, with the time, and written by this run. */
export function markedSql({ schema, deletedAt, runId }: MergePlan, touched: TouchedRows): string {
  const changed = new Map([
    [deletedAt?.name ?? '', `CAST(h.stamp AS ${sqlType(deletedAt?.type ?? 'timestamptz')})`],
    [RUN, literal(runId)],
  ]);
  return `SELECT ${selected(schema, changed)} FROM (${rowsSql(touched, schema.fields)}) r
    JOIN ${HIT} h ON h.gone AND h.file_index = ${original(touched)} AND h.file_row_number = r.file_row_number`;
}

/** The rows of touched files that the merge leaves as they are. */
export function untouchedSql({ schema }: MergePlan, touched: TouchedRows): string {
  return `SELECT ${selected(schema)} FROM (${rowsSql(touched, schema.fields)}) r
    ANTI JOIN ${HIT} h ON h.file_index = ${original(touched)} AND h.file_row_number = r.file_row_number`;
}

/** The rows of a position delete file over some of the files, as the format wants them sorted. */
export function positionsSql(files: readonly { readonly index: number; readonly location: string }[]): string {
  const named = files.map(({ index, location }) => `(${index}, ${literal(location)})`).join(', ');
  return `SELECT f.location AS file_path, h.file_row_number AS pos
    FROM ${HIT} h JOIN (VALUES ${named}) f(file_index, location) USING (file_index) ORDER BY 1, 2`;
}

/** Ends a merge's hold on memory. */
export const FORGET_SQL: string = `DROP TABLE IF EXISTS ${WINNER}; DROP TABLE IF EXISTS ${HIT}`;
