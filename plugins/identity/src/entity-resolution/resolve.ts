import type { EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';
import { type CanonicalIds, canonicalIds } from './canonical-ids.ts';
import { KEYED, resolutionSql } from './resolve-sql.ts';
import { connected } from './union-find.ts';

/** A statement over the table `sample`, and the rows that it may answer. */
export interface Statement {
  readonly sql: string;
  readonly maxRows: number;
  /** A name by which the statements behind it read its rows; they are not answered then. */
  readonly as?: string;
}

/** Answers statements over a sample with these properties as its columns: of each the values of its columns. */
export type AskSample = (
  columns: readonly string[],
  statements: readonly Statement[],
) => Promise<{ rows: number; more: boolean; results: readonly (readonly (readonly unknown[])[])[] }>;

/** How much a resolution may look at. */
export interface ResolutionBounds {
  /** Records of the sample at most. */
  readonly records: number;
  /** Pairs that blocking may bring together, all rules added up. */
  readonly candidates: number;
  /** Pairs of a score to be told. */
  readonly pairs: number;
  /** Scores below it are not told; `review` unless given. */
  readonly from?: number;
}

/** Two records by their places, and what their comparison found: see `levelSql`. */
export interface ScoredPair {
  readonly left: number;
  readonly right: number;
  readonly score: number;
  readonly levels: string;
}

export interface Resolution {
  readonly rows: number;
  /** Whether the dataset has rows behind those of the sample. */
  readonly more: boolean;
  /** Pairs that each blocking rule brings together. */
  readonly candidates: readonly number[];
  readonly pairs: readonly ScoredPair[];
  /** The cluster of each record: the smallest place of its records. */
  readonly clusters: Int32Array;
  readonly ids: CanonicalIds;
}

/** Blocking brings more pairs together than may be compared, or more of them are alike than may be told. */
export interface TooBroad {
  readonly tooBroad: true;
  readonly candidates: readonly number[];
}

/** Resolves the records of a sample by a document. What it finds depends on the records and not on their order. */
export async function resolve(
  document: EntityResolutionDocumentBody,
  ask: AskSample,
  bounds: ResolutionBounds,
): Promise<Resolution | TooBroad> {
  const sql = resolutionSql(document);
  const keyed = { sql: sql.keyed, maxRows: bounds.records, as: KEYED };
  const first = await ask(sql.columns, [
    keyed,
    { sql: sql.candidates, maxRows: 1 },
    { sql: sql.records, maxRows: bounds.records },
  ]);
  const [, counts = [], records = []] = first.results;
  const candidates = counts.map(([count]) => Number(count));
  if (candidates.reduce((sum, one) => sum + one, 0) > bounds.candidates) return { tooBroad: true, candidates };
  const rules = sql.pairs(bounds.from ?? document.review).map((one) => ({ sql: one, maxRows: bounds.pairs }));
  const [, ...found] = (await ask(sql.columns, [keyed, ...rules])).results;
  const pairs = found.flatMap(pairsOf);
  if (pairs.length > bounds.pairs) return { tooBroad: true, candidates };
  const accepted = pairs.filter(({ score }) => score >= document.accept);
  const clusters = connected(first.rows, accepted);
  const ids = canonicalIds(document.canonical_id, clusters, records);
  return { rows: first.rows, more: first.more, candidates, pairs, clusters, ids };
}

function pairsOf([left = [], right = [], scores = [], levels = []]: readonly (readonly unknown[])[]): ScoredPair[] {
  return left.map((place, at) => ({
    left: Number(place),
    right: Number(right[at]),
    score: Number(scores[at]),
    levels: String(levels[at]),
  }));
}
