import { v5 } from 'uuid';
import type { EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';

type IdRule = EntityResolutionDocumentBody['canonical_id'];

/** The columns of `ResolutionSql.records`: the place of each record, then what its id is made of. */
export type RecordColumns = readonly (readonly unknown[])[];

/** The id of each cluster, by its root; a cluster of which no record has a key has none. */
export interface CanonicalIds {
  readonly byCluster: ReadonlyMap<number, string>;
  /** Clusters whose records bring several source keys. */
  readonly contested: number;
}

/** A key of the source and its place in the order of keys, whatever their type is. */
interface RankedKey {
  readonly text: string;
  readonly rank: number;
}

/**
 * The canonical ids of clusters, from the values of their own records alone, so that they depend neither on the order of
 * records nor on records of other clusters. `source_key`: the key that most of its records bring, the smallest of those.
 * `smallest_key`: the smallest key. `uuid5`: the name-based UUID (RFC 9562) of the smallest list of keys, written as JSON.
 */
export function canonicalIds(rule: IdRule, clusters: Int32Array, records: RecordColumns): CanonicalIds {
  if (rule.strategy === 'uuid5') return { byCluster: uuids(rule.namespace, clusters, records), contested: 0 };
  const keys = keysOf(clusters, records);
  const byCluster = new Map<number, string>();
  let contested = 0;
  for (const [cluster, found] of keys) {
    const counts = [...Map.groupBy(found, ({ rank }) => rank).values()];
    if (rule.strategy === 'source_key' && counts.length > 1) contested += 1;
    const best = counts.reduce((one, other) => (isBefore(rule, other, one) ? other : one));
    byCluster.set(cluster, best[0]?.text ?? '');
  }
  return { byCluster, contested };
}

function isBefore({ strategy }: IdRule, one: readonly RankedKey[], other: readonly RankedKey[]): boolean {
  if (strategy === 'source_key' && one.length !== other.length) return one.length > other.length;
  return (one[0]?.rank ?? 0) < (other[0]?.rank ?? 0);
}

function keysOf(clusters: Int32Array, [places = [], texts = [], ranks = []]: RecordColumns): Map<number, RankedKey[]> {
  const keys = new Map<number, RankedKey[]>();
  for (const [at, place] of places.entries()) {
    const text = texts[at];
    const cluster = clusters[Number(place)];
    if (typeof text !== 'string' || cluster === undefined) continue;
    const key = { text, rank: Number(ranks[at]) };
    const known = keys.get(cluster);
    if (known) known.push(key);
    else keys.set(cluster, [key]);
  }
  return keys;
}

function uuids(namespace: string, clusters: Int32Array, [places = [], ...keys]: RecordColumns): Map<number, string> {
  const names = new Map<number, string>();
  for (const [at, place] of places.entries()) {
    const values = keys.map((texts) => texts[at]);
    const cluster = clusters[Number(place)];
    if (cluster === undefined || !values.every((value) => typeof value === 'string')) continue;
    const name = JSON.stringify(values);
    const known = names.get(cluster);
    if (known === undefined || name < known) names.set(cluster, name);
  }
  return new Map([...names].map(([cluster, name]) => [cluster, v5(name, namespace)]));
}
