import { decimalShape, type Field, type FieldType, type TableSchema } from '../schema/types.ts';
import { identifier } from './duckdb-sql.ts';

/** Names how a checksum is made; one of another name cannot be compared with it. */
export const CHECKSUM_ALGORITHM = 'duckdb-hash64-v1';

/** Columns that say when, by whom and from which file a row was written, not what it is. */
const UNCOUNTED: ReadonlySet<string> = new Set(['_extracted_at', '_run_id', '_file']);
const NONE: ReadonlySet<number> = new Set();
const MODULUS = 1n << 64n;
/** Keeps a row without any value from being nothing. */
const ROW_SEED = '0x5765697200000001';

// A column that was widened must count as it did before, so each type counts as the widest one it can become.
function countedSql(name: string, type: FieldType): string {
  if (typeof type !== 'string') return `to_json(${name})::VARCHAR`;
  if (type === 'int' || type === 'long') return `${name}::BIGINT`;
  if (type === 'float' || type === 'double') return `${name}::DOUBLE`;
  const decimal = decimalShape(type);
  return decimal ? `${name}::DECIMAL(38, ${decimal.scale})` : name;
}

function cellSql(field: Field, isWhole: boolean): string {
  const name = identifier(field.name);
  const cell = `hash(${countedSql(name, field.type)}, ${field.id})`;
  if (isWhole) return cell;
  // The empty list and none are one to readers of the format, and every row has `_errors`.
  const absent =
    typeof field.type !== 'string' && field.type.type === 'list' ? `coalesce(len(${name}), 0) = 0` : `${name} IS NULL`;
  return `CASE WHEN ${absent} THEN 0::UBIGINT ELSE ${cell} END`;
}

// Written as one chain it would be as deep as it is long, and DuckDB ends at a depth of 1000.
function xorSql(terms: readonly string[]): string {
  const half = Math.ceil(terms.length / 2);
  if (terms.length < 2) return terms[0] ?? '0::UBIGINT';
  return `xor(${xorSql(terms.slice(0, half))}, ${xorSql(terms.slice(half))})`;
}

/**
 * An aggregate over rows with the columns of a schema, by name, whose text tells whether two sets of rows are the same:
 * `<algorithm>:<16 hex digits>`. A row's hash joins the hash of each value with the id of its field, and the hashes of
 * all rows are added modulo 2^64. So neither the order of rows, nor their division over files, nor an added column
 * (NULL in old rows), nor a widened one changes it, while values that change places between columns or rows do. Values
 * count as they are typed; `_extracted_at`, `_run_id` and `_file` do not count. The sums of parts add up (`addChecksums`).
 *
 * DuckDB's `hash` is used because it is a twentieth of the cost of typing a row, where MD5 over the row's text is half
 * of it: reading one million rows back and hashing them takes 0.13 CPU-seconds, typing them 1.5. It is not made to
 * resist forgery. A test pins its values: should another DuckDB hash otherwise, the algorithm gets another name.
 *
 * `whole` has the ids of primitive fields that hold a value in every row: no NULL is looked for there, a tenth of the cost.
 */
export function rowChecksumSql(schema: Pick<TableSchema, 'fields'>, whole: ReadonlySet<number> = NONE): string {
  return checksumOfCellsSql(joinedCellsSql(schema.fields, whole));
}

/** The hashes of the values of a row in some columns, joined: those of all columns are joined in any order. */
export function joinedCellsSql(fields: readonly Field[], whole: ReadonlySet<number> = NONE): string {
  const counted = fields.filter((field) => !UNCOUNTED.has(field.name));
  return xorSql(counted.map((field) => cellSql(field, whole.has(field.id))));
}

/** The checksum over rows of which each has the joined hashes of all of its values. */
export function checksumOfCellsSql(cells: string): string {
  const row = `hash(${cells}, ${BigInt(ROW_SEED)})`;
  const sum = `(coalesce(sum(${row}::HUGEINT), 0::HUGEINT) % ${MODULUS}::HUGEINT)::UBIGINT`;
  return `'${CHECKSUM_ALGORITHM}:' || lpad(lower(to_hex(${sum})), 16, '0')`;
}

/** The checksum of no rows. */
export const NO_ROWS_CHECKSUM: string = `${CHECKSUM_ALGORITHM}:${'0'.repeat(16)}`;

/** The checksum of the rows of two checksums together; undefined when they were not made by the same algorithm. */
export function addChecksums(a: string, b: string): string | undefined {
  const [left, right] = [parts(a), parts(b)];
  if (left.algorithm !== right.algorithm) return undefined;
  return `${left.algorithm}:${((left.sum + right.sum) % MODULUS).toString(16).padStart(16, '0')}`;
}

function parts(checksum: string): { algorithm: string; sum: bigint } {
  const colon = checksum.lastIndexOf(':');
  return { algorithm: checksum.slice(0, colon), sum: BigInt(`0x${checksum.slice(colon + 1) || '0'}`) };
}
