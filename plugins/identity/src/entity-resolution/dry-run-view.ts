import {
  type EntityDryRunView,
  type EntityResolutionDocumentBody,
  MASK,
  MAX_SHOWN_PAIRS,
  type MaskedPairView,
} from '../contract/entity-resolution.ts';
import { OUTCOMES } from './compare-sql.ts';
import type { Resolution, ScoredPair } from './resolve.ts';

/** What a dry run found, and on what. */
export interface Tried {
  readonly datasetId: string;
  readonly snapshotId: string | null;
  readonly document: EntityResolutionDocumentBody;
  readonly found: Resolution;
  /** What the version in force makes of the same sample; undefined when there is none that can be applied to it. */
  readonly inForce: Resolution | undefined;
}

/** A dry run as it is answered: numbers, and pairs without their values. */
export function dryRunView({ datasetId, snapshotId, document, found, inForce }: Tried): EntityDryRunView {
  const sizes = countOf(countOf(found.clusters).values());
  const accepted = found.pairs.filter(({ score }) => score >= document.accept);
  const shared = [...countOf(found.ids.byCluster.values()).values()].filter((clusters) => clusters > 1);
  const total = [...sizes.values()].reduce((sum, clusters) => sum + clusters, 0);
  return {
    kind: 'entity_resolution',
    dataset_id: datasetId,
    snapshot_id: snapshotId,
    sample: { rows: found.rows, complete: !found.more },
    blocking: found.candidates.map((candidates) => ({ candidates })),
    pairs: { accepted: accepted.length, review: found.pairs.length - accepted.length },
    clusters: {
      total,
      sizes: [...sizes].map(([size, clusters]) => ({ size, clusters })).toSorted((a, b) => a.size - b.size),
    },
    collisions: {
      shared_ids: shared.length,
      contested: found.ids.contested,
      without_id: total - found.ids.byCluster.size,
    },
    moved: inForce === undefined ? null : { records: movedRecords(found, inForce) },
    examples: shownPairs(document, found.pairs).map((pair) => maskedPair(document, pair)),
  };
}

function countOf<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function movedRecords(found: Resolution, inForce: Resolution): number {
  const idAt = ({ ids, clusters }: Resolution, at: number) => ids.byCluster.get(clusters[at] ?? 0);
  return found.clusters.reduce((moved, _, at) => moved + (idAt(found, at) === idAt(inForce, at) ? 0 : 1), 0);
}

/** The pairs nearest to the line: half of them just accepted, half just not, as far as there are enough of either. */
function shownPairs({ accept }: EntityResolutionDocumentBody, pairs: readonly ScoredPair[]): ScoredPair[] {
  const above = nearest(
    pairs.filter(({ score }) => score >= accept),
    accept,
  );
  const below = nearest(
    pairs.filter(({ score }) => score < accept),
    accept,
  );
  const half = MAX_SHOWN_PAIRS / 2;
  const shownAbove = above.slice(0, Math.max(half, MAX_SHOWN_PAIRS - below.length));
  return [...shownAbove, ...below.slice(0, MAX_SHOWN_PAIRS - shownAbove.length)];
}

/** As many pairs as are shown at most, the nearest first; found in one pass, since there may be many. */
function nearest(pairs: readonly ScoredPair[], accept: number): ScoredPair[] {
  const distance = ({ score }: ScoredPair): number => Math.abs(score - accept);
  const isBefore = (a: ScoredPair, b: ScoredPair): boolean =>
    distance(a) < distance(b) || (distance(a) === distance(b) && a.levels < b.levels);
  const kept: ScoredPair[] = [];
  for (const pair of pairs) {
    const last = kept[MAX_SHOWN_PAIRS - 1];
    if (last !== undefined && !isBefore(pair, last)) continue;
    const at = kept.findIndex((one) => isBefore(pair, one));
    kept.splice(at < 0 ? kept.length : at, 0, pair);
    kept.length = Math.min(kept.length, MAX_SHOWN_PAIRS);
  }
  return kept;
}

/** Where one record alone has a value, it stands on the left, whichever of the two it is. */
function maskedPair({ comparisons, accept }: EntityResolutionDocumentBody, pair: ScoredPair): MaskedPairView {
  return {
    score: pair.score,
    verdict: pair.score >= accept ? 'accept' : 'review',
    comparisons: comparisons.map(({ property, levels, otherwise = 0 }, at) => {
      const outcome = pair.levels[at] ?? OUTCOMES.none;
      const left = outcome === OUTCOMES.none ? null : MASK;
      const right = outcome === OUTCOMES.none || outcome === OUTCOMES.one ? null : MASK;
      const level = levels[Number(outcome)];
      const weight = level?.weight ?? (outcome === OUTCOMES.otherwise ? otherwise : 0);
      return { property, left, right, level: level === undefined ? null : Number(outcome), weight };
    }),
  };
}
