import type { EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';
import { comparedColumns, levelSql, real, weightSql } from './compare-sql.ts';
import { normalisedSql } from './normalise-sql.ts';
import { propertyNames } from './properties.ts';

type Part = EntityResolutionDocumentBody['blocking'][number][number];

/** The name by which statements read the rows of `keyed`. */
export const KEYED = 'keyed';

/** The statements of a policy over a table `sample` whose columns `c0` and so on are the properties of `columns`. */
export interface ResolutionSql {
  readonly columns: readonly string[];
  /** The normalised records with what each blocking rule takes of them; the others but `records` read it as `KEYED`. */
  readonly keyed: string;
  /** One row: for each blocking rule the number of pairs that it brings together, as doubles. */
  readonly candidates: string;
  /**
   * A row for each record: its place; then for a key of the source its text and its rank among the keys, for the keys of
   * a UUID their normalised texts.
   */
  readonly records: string;
  /**
   * For each blocking rule the pairs of a score of at least `from` that no earlier rule has: both places, the smaller first,
   * the score, a character for each comparison. One statement each, so that one join at a time takes memory.
   */
  pairs(from: number): string[];
}

/** Writes a document as statements for DuckDB. No name of the document is part of them, its texts are literals. */
export function resolutionSql(document: EntityResolutionDocumentBody): ResolutionSql {
  const columns = propertyNames(document);
  const column = (property: string): number => columns.indexOf(property);
  const { blocking, comparisons } = document;
  const keys = blocking.map((rule, at) => `${keySql(rule, column)} AS h${at}`);
  const typed = comparisons.flatMap((comparison) => {
    const text = `p${column(comparison.property)}`;
    return comparedColumns(comparison, text).map(([suffix, sql]) => `${sql} AS ${text}${suffix}`);
  });
  return {
    columns,
    keyed: `SELECT ${['*', ...typed, ...keys].join(', ')} FROM (${normalisedRows(document, columns)})`,
    candidates: `SELECT ${blocking.map((_, at) => blockPairsSql(at)).join(', ')}`,
    records: recordsSql(document, columns),
    pairs(from) {
      const score = comparisons.map((one) => weightSql(one, `p${column(one.property)}`)).join(' + ');
      const levels = comparisons.map((one) => levelSql(one, `p${column(one.property)}`)).join(', ');
      return blocking.map((_, at) => {
        // A pair that an earlier rule brings together is that rule's.
        const earlier = Array.from({ length: at }, (_, rule) => `AND coalesce(a.h${rule} <> b.h${rule}, true)`);
        const joined = `FROM ${KEYED} a JOIN ${KEYED} b ON a.h${at} = b.h${at} AND a.r < b.r ${earlier.join(' ')}`;
        return `SELECT a.r, b.r, ${score}, concat(${levels}) ${joined} WHERE ${score} >= ${real(from)}`;
      });
    },
  };
}

function normalisedRows({ normalise }: EntityResolutionDocumentBody, columns: readonly string[]): string {
  const texts = columns.map((property, at) => {
    const ops = normalise.find((one) => one.property === property)?.ops ?? [];
    return `${normalisedSql(`c${at}`, ops)} AS p${at}`;
  });
  return `SELECT ${['r', ...texts].join(', ')} FROM sample`;
}

/** The hash of what a rule takes of a record; NULL where a part of it is missing. Equal hashes only bring pairs to be compared. */
function keySql(rule: readonly Part[], column: (property: string) => number): string {
  const parts = rule.map((part) => {
    if (typeof part === 'string') return `p${column(part)}`;
    return `${part.op === 'prefix' ? 'left' : 'right'}(p${column(part.property)}, ${part.length})`;
  });
  const missing = parts.map((part) => `${part} IS NULL`).join(' OR ');
  return `CASE WHEN ${missing} THEN NULL ELSE hash(${parts.join(', ')}) END`;
}

function blockPairsSql(at: number): string {
  const sizes = `SELECT CAST(count(*) AS DOUBLE) AS n FROM ${KEYED} WHERE h${at} IS NOT NULL GROUP BY h${at}`;
  return `(SELECT coalesce(sum(n * (n - 1) / 2), 0) FROM (${sizes}))`;
}

function recordsSql(document: EntityResolutionDocumentBody, columns: readonly string[]): string {
  const { canonical_id: id } = document;
  if (id.strategy === 'uuid5') {
    const keys = id.keys.map((property) => `p${columns.indexOf(property)}`);
    return `SELECT ${['r', ...keys].join(', ')} FROM (${normalisedRows(document, columns)})`;
  }
  const key = `c${columns.indexOf(id.property)}`;
  return `SELECT r, CAST(${key} AS VARCHAR), CAST(dense_rank() OVER (ORDER BY ${key}) AS INTEGER) FROM sample`;
}
