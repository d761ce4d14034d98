import {
  CONTENT,
  MANIFEST_CONTENT,
  type ManifestEntry,
  type ManifestFile,
  readManifest,
  STATUS,
} from '../manifest/manifest.ts';
import type { ManifestMaker, ManifestSource } from './snapshot-draft.ts';

/** Table properties that steer merging, and what holds without them (as in the reference implementation). */
const MERGE_ENABLED = 'commit.manifest-merge.enabled';
const MIN_COUNT = { property: 'commit.manifest.min-count-to-merge', default: 100 } as const;
const TARGET_BYTES = { property: 'commit.manifest.target-size-bytes', default: 8 * 1024 * 1024 } as const;
/** Manifests that are read at the same time. */
const READS_AT_ONCE = 16;
/** About what an entry takes in a manifest that is not written yet. */
const ENTRY_BYTES = 256;

function positive(
  properties: Readonly<Record<string, string>>,
  setting: { property: string; default: number },
): number {
  const value = Number(properties[setting.property]);
  return Number.isSafeInteger(value) && value > 0 ? value : setting.default;
}

const isManifest = (source: ManifestSource): source is { readonly manifest: ManifestFile } => 'manifest' in source;

function groupOf(source: ManifestSource): string {
  if (isManifest(source)) return `${source.manifest.content}:${source.manifest.partition_spec_id}`;
  const deletes = source.entries.some((entry) => entry.data_file.content !== CONTENT.data);
  return `${deletes ? MANIFEST_CONTENT.deletes : MANIFEST_CONTENT.data}:${source.specId}`;
}

const sizeOf = (source: ManifestSource): number =>
  isManifest(source) ? Number(source.manifest.manifest_length) : source.entries.length * ENTRY_BYTES;

/** Neighbours together up to the target size, filled from the oldest, so that only the newest bin is not full. */
function bins(sources: readonly ManifestSource[], targetBytes: number): ManifestSource[][] {
  const packed: ManifestSource[][] = [];
  let room = 0;
  for (const source of sources.toReversed()) {
    if (packed.length === 0 || sizeOf(source) > room) {
      packed.push([]);
      room = targetBytes;
    }
    packed.at(-1)!.push(source);
    room -= sizeOf(source);
  }
  return packed.reverse().map((bin) => bin.reverse());
}

/** The entries of manifests, in order; what their own commits removed is left out, what they added is there. */
async function survivors(maker: ManifestMaker, sources: readonly ManifestSource[]): Promise<ManifestEntry[]> {
  const { io } = maker.draft;
  const found: ManifestEntry[] = [];
  for (let at = 0; at < sources.length; at += READS_AT_ONCE) {
    const read = sources.slice(at, at + READS_AT_ONCE).map(async (source) => {
      if (!isManifest(source)) return source.entries;
      const live = (await readManifest(io, source.manifest)).filter((entry) => entry.status !== STATUS.deleted);
      return live.map((entry) => ({ ...entry, status: STATUS.existing }));
    });
    for (const entries of await Promise.all(read)) found.push(...entries);
  }
  return found;
}

/**
 * The manifests of a snapshot. Where a content and a spec have as many as `commit.manifest.min-count-to-merge` (100),
 * they become one manifest, or several of `commit.manifest.target-size-bytes`; files that are in the table already
 * keep the snapshot and the sequence numbers that they came with. This is the rule of the reference implementation
 * (`ManifestMergeManager`). `fewest` goes before the property.
 */
export async function mergeManifests(
  maker: ManifestMaker,
  sources: readonly ManifestSource[],
  fewest?: number,
): Promise<readonly ManifestFile[]> {
  const { properties } = maker.draft.metadata;
  const take = (source: ManifestSource): ManifestFile => (isManifest(source) ? source.manifest : maker.make(source));
  if (properties[MERGE_ENABLED] === 'false') return sources.map(take);
  const minCount = fewest ?? positive(properties, MIN_COUNT);
  const targetBytes = positive(properties, TARGET_BYTES);
  const groups = Map.groupBy(sources, groupOf);
  const manifests: ManifestFile[] = [];
  for (const group of groups.values()) {
    for (const [at, bin] of bins(group, targetBytes).entries()) {
      // The newest bin waits until merging it is worth it; an older one is full.
      const specId = specOf(bin[0]!);
      const waits = bin.length === 1 || (at === 0 && bin.length < minCount) || !maker.writes(specId);
      const entries = waits ? [] : await survivors(maker, bin);
      if (waits) manifests.push(...bin.map(take));
      else if (entries.length > 0) manifests.push(maker.make({ specId, entries }));
    }
  }
  return manifests;
}

const specOf = (source: ManifestSource): number =>
  isManifest(source) ? source.manifest.partition_spec_id : source.specId;
