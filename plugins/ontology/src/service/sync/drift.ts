import { randomInt } from 'node:crypto';
import type { Kernel, TenantTransaction } from '@weir/kernel';
import { inParallel } from '@weir/work';
import type { OntologyStore, StoreCall } from '../../model/entity/store.ts';
import type { BackingDatasetRow } from '../../model/rows.ts';

/** Claims that are read back. */
export const DRIFT_SAMPLE = 100;
/** Claims beside each other that the sample is drawn from: a whole table of them is not read for it. */
const WINDOW = 5_000;

/** How entities differ from what was brought. */
export interface Drift {
  looked: number;
  missing: number;
  other: number;
}

const OF = 'from ontology.claim where tenant_id = $1 and backing_dataset_id = $2';
const ENDS = `select min(entity_key) as first, max(entity_key) as last ${OF}`;
const SOME = `
(select entity_key, encode(row_hash, 'hex') as hash ${OF} and entity_key >= $3 order by entity_key limit $4)
union all
(select entity_key, encode(row_hash, 'hex') as hash ${OF} and entity_key < $3 order by entity_key desc limit $4)
limit $4`;

/** Reads entities back by random claims. With `owned_properties` the hash of an entity is that of all its owners: it has to be there. */
export async function driftOf(
  { kernel, store }: { kernel: Pick<Kernel, 'db'>; store: Pick<OntologyStore, 'getEntity'> },
  call: StoreCall,
  { backingDatasetId, entityTypeCode, spec }: BackingDatasetRow,
): Promise<Drift> {
  const claims = await kernel.db(call.tenant).transaction((tx) => someClaims(tx, backingDatasetId));
  const outcomes = await inParallel(claims, async ({ key, hash }) => {
    const entity = await store.getEntity(call, entityTypeCode, key);
    if (entity === undefined) return 'missing';
    return spec.merge_mode === 'owned_properties' || entity.rowHash === hash ? 'same' : 'other';
  });
  const count = (wanted: string) => outcomes.filter((one) => one === wanted).length;
  return { looked: claims.length, missing: count('missing'), other: count('other') };
}

async function someClaims(tx: TenantTransaction, id: string): Promise<{ key: string; hash: string }[]> {
  const { tenantId } = tx.tenant;
  const [ends] = (await tx.sql(ENDS, [tenantId, id])).rows;
  if (ends?.first == null) return [];
  const from = keyBetween(String(ends.first), String(ends.last), randomInt);
  const { rows } = await tx.sql(SOME, [tenantId, id, from, WINDOW]);
  const left = rows.map(({ entity_key, hash }) => ({ key: String(entity_key), hash: String(hash) }));
  const drawn: { key: string; hash: string }[] = [];
  while (drawn.length < DRIFT_SAMPLE && left.length > 0) drawn.push(...left.splice(randomInt(left.length), 1));
  return drawn;
}

/** A text between two keys: what both begin with, and a character between those in which they differ. */
export function keyBetween(first: string, last: string, pick: (min: number, max: number) => number): string {
  const [low, high] = [[...first], [...last]];
  const at = high.findIndex((letter, place) => letter !== low[place]);
  if (at < 0) return first;
  const [from, to] = [low[at]?.codePointAt(0) ?? 0, high[at]?.codePointAt(0) ?? 0];
  const code = pick(Math.min(from, to) + 1, Math.max(from, to) + 1);
  // Half of a pair cannot be sent.
  const letter = code >= 0xd800 && code <= 0xdfff ? high[at] : String.fromCodePoint(code);
  return `${high.slice(0, at).join('')}${letter}`;
}
