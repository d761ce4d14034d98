import type { LoadedTable } from '../catalog/catalog.ts';
import { type ManifestFile, readManifest, snapshotManifests } from '../manifest/manifest.ts';
import type { FileIO } from '../store/fileio.ts';
import { toLocation } from '../store/fileio.ts';
import { statisticsOf, tableFiles } from '../store/table-files.ts';

/** Manifests read at one time. */
const READS_AT_ONCE = 8;

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, worker));
}

/**
 * Every file that a table still needs, in the one spelling of locations: metadata with its log, and, of all snapshots
 * that the metadata keeps, manifest lists, manifests, and all data and delete files that a manifest names, those that
 * it says were removed included. Throws when any of them cannot be read, or lies outside of the table's folder: then
 * nothing is known to be unneeded.
 */
export async function referencedFiles(io: FileIO, { metadata, metadataLocation }: LoadedTable): Promise<Set<string>> {
  const referenced = new Set<string>();
  const files = tableFiles(io, metadata);
  const add = (location: string): void => {
    try {
      referenced.add(toLocation(location));
    } catch {
      // A location of a store that we do not know is none of our files.
    }
  };
  const manifests = new Map<string, ManifestFile>();
  add(metadataLocation);
  for (const earlier of metadata['metadata-log']) add(earlier['metadata-file']);
  for (const location of statisticsOf(metadata)) add(location);
  await inTurns(metadata.snapshots, async (snapshot) => {
    if (snapshot['manifest-list'] !== undefined) add(snapshot['manifest-list']);
    for (const manifest of await snapshotManifests(files, snapshot)) manifests.set(manifest.manifest_path, manifest);
  });
  await inTurns([...manifests.values()], async (manifest) => {
    add(manifest.manifest_path);
    for (const { data_file: file } of await readManifest(files, manifest)) add(file.file_path);
  });
  return referenced;
}
