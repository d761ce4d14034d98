import { createReadStream, statSync } from 'node:fs';
import type { Canary } from './search/canary.ts';
import { createDigests } from './search/digests.ts';
import { textsOf } from './search/likely-texts.ts';
import { formsOf, type Needle, type Needles, needlesOf } from './search/needles.ts';
import { type Search, searchBytes } from './search/search-bytes.ts';

/** A canary that was found somewhere. */
export interface Finding {
  readonly place: string;
  /** What of the place it is in, in words that hold no value. */
  readonly where: string;
  readonly canary: Canary;
  readonly form: string;
  /** Whether only a part of it was there. */
  readonly part: boolean;
  readonly inGzip: boolean;
  count: number;
  /** Why it may be there, if it may. */
  readonly allowed?: string;
}

/** What was looked through in one place. */
export interface Looked {
  items: number;
  bytes: number;
  /** Compressed members that were not looked into to their end. */
  leftOut: number;
  readonly findings: Finding[];
}

/** Looks through what comes from one place. `where` names the item; `allowed` says why a canary may be there. */
export interface Look {
  bytes(where: string, bytes: Uint8Array | string, allowed?: string): Promise<void>;
  chunks(where: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, allowed?: string): Promise<void>;
  /** A file that may be gone meanwhile. */
  file(where: string, path: string, allowed?: string): Promise<void>;
}

/** All canaries of a proof, and what was found of them. */
export interface Ledger {
  /** From now on it is searched for. */
  plant(canary: Canary): void;
  /** From now on digests are searched for of those of the texts that hold a canary. */
  hashed(texts: readonly string[]): void;
  planted(): readonly Canary[];
  look(place: string): Look;
  looked(place: string): Looked;
}

const CHUNK_BYTES = 1024 * 1024;
const MIN_CHUNK_BYTES = 4096;
/** Findings of one place that are kept; more are counted with the last. */
const MAX_FINDINGS = 1_000;

/** Begins an empty ledger. */
export function createLedger(): Ledger {
  const canaries: Canary[] = [];
  const places = new Map<string, Looked>();
  /** Every canary in every form: made once, as there are many. */
  const made: Needle[] = [];
  let needles: Needles | undefined;
  const digests = createDigests();
  const looked = (place: string): Looked => {
    const known = places.get(place) ?? { items: 0, bytes: 0, leftOut: 0, findings: [] };
    places.set(place, known);
    return known;
  };
  const open = (): Search => {
    needles ??= { ...needlesOf(made), digests };
    return searchBytes(needles);
  };
  const close = async (place: string, where: string, search: Search, allowed: string | undefined) => {
    const into = looked(place);
    const { bytes, hits, leftOut } = await search.end();
    into.items += 1;
    into.bytes += bytes;
    into.leftOut += leftOut;
    for (const { needle, part, inGzip, count } of hits) {
      const same = into.findings.find(
        (known) =>
          known.where === where && known.canary === needle.canary && known.form === needle.form && known.part === part,
      );
      if (same !== undefined) same.count += count;
      else if (into.findings.length < MAX_FINDINGS)
        into.findings.push({
          ...{ place, where, canary: needle.canary, form: needle.form, part, inGzip, count },
          ...(allowed === undefined ? {} : { allowed }),
        });
    }
  };
  return {
    plant(canary) {
      canaries.push(canary);
      made.push(...formsOf(canary));
      needles = undefined;
      if (!canary.onlyRaw) for (const text of textsOf(canary.text)) digests.add(canary, text);
    },
    hashed(texts) {
      for (const text of texts) {
        const canary = canaries.find((one) => !one.onlyRaw && text.includes(one.text));
        if (canary !== undefined) digests.add(canary, text);
      }
    },
    planted: () => canaries,
    looked,
    look(place) {
      looked(place);
      const chunks: Look['chunks'] = async (where, given, allowed) => {
        const search = open();
        for await (const chunk of given) await search.feed(chunk);
        await close(place, where, search, allowed);
      };
      return {
        chunks,
        bytes: (where, bytes, allowed) =>
          chunks(where, [typeof bytes === 'string' ? Buffer.from(bytes) : bytes], allowed),
        file: (where, path, allowed) => chunks(where, chunksOf(path), allowed).catch(ignoreGone),
      };
    },
  };
}

/** The stream allocates a whole chunk for each read, so a small file gets small ones: there are thousands of them. */
function chunksOf(path: string): AsyncIterable<Uint8Array> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return createReadStream(path, { highWaterMark: Math.min(CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, size)) });
}

function ignoreGone(error: NodeJS.ErrnoException): void {
  if (!['ENOENT', 'ESRCH', 'EACCES', 'EISDIR'].includes(String(error.code))) throw error;
}
