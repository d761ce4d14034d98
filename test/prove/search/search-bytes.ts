import { type GzipMembers, gzipMembers } from './gzip-members.ts';
import type { Needles } from './needles.ts';
import { type Hit, scanBytes } from './scan-bytes.ts';

/** What a search has come to. */
export interface Searched {
  readonly bytes: number;
  /** Each needle once, with how often it was there and where first. */
  readonly hits: readonly (Hit & { count: number; inGzip: boolean })[];
  /** Compressed members that were not looked into to their end, because they or their number passed the bounds. */
  readonly leftOut: number;
}

/** A search of bytes that come in chunks, compressed members inside them included; memory is bounded. */
export interface Search {
  feed(chunk: Uint8Array): Promise<void>;
  end(): Promise<Searched>;
}

/** Members inside members that are looked into. */
const MAX_DEPTH = 2;

/** Begins a search. */
export function searchBytes(needles: Needles, depth = 0): Search {
  const hits = new Map<string, Hit & { count: number; inGzip: boolean }>();
  const keep = (hit: Hit, inGzip: boolean, count = 1) => {
    const key = `${hit.needle.canary.text} ${hit.needle.form} ${hit.part} ${inGzip}`;
    const known = hits.get(key);
    if (known === undefined) hits.set(key, { ...hit, count, inGzip });
    else known.count += count;
  };
  const found = (hit: Hit) => keep(hit, false);
  const scans = [scanBytes(needles, found), ...(needles.digests === undefined ? [] : [needles.digests.scan(found)])];
  const members: GzipMembers | undefined =
    depth < MAX_DEPTH ? gzipMembers(() => searchBytes(needles, depth + 1)) : undefined;
  let bytes = 0;
  return {
    async feed(chunk) {
      bytes += chunk.byteLength;
      for (const scan of scans) scan.feed(chunk);
      await members?.feed(chunk);
    },
    async end() {
      for (const scan of scans) scan.end();
      const inside = (await members?.end()) ?? [];
      for (const { searched } of inside)
        for (const { count, ...hit } of searched.hits) keep({ ...hit, offset: 0 }, true, count);
      const leftOut = inside.reduce((sum, one) => sum + one.searched.leftOut + (one.complete ? 0 : 1), 0);
      return { bytes, hits: [...hits.values()], leftOut: leftOut + (members?.unopened() ?? 0) };
    },
  };
}
