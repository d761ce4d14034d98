import { type FileIO, localFileIO, readMetadata, referencedFiles, toLocation } from '@weir/lakehouse';
import { DATASET_LAYERS } from '@weir/plugin-datasets/contract';

type Peek = (text: string) => Promise<readonly Record<string, unknown>[]>;

export interface TestWarehouse {
  readonly io: FileIO;
  readonly location: string;
}

/** The warehouse in a folder of this machine. */
export const folderWarehouse = (folder: string): TestWarehouse => ({
  io: localFileIO({ root: folder }),
  location: toLocation(folder),
});

/**
 * Files of a warehouse that no snapshot of any table and no entry of the ledger names, and those that a snapshot names and that are
 * absent. There are none as soon as nothing is being written.
 */
export async function warehouseFaults(
  peek: Peek,
  { io, location: root }: TestWarehouse,
): Promise<{ unnamed: string[]; absent: string[] }> {
  let needed = new Set<string>();
  for (const row of await peek('select metadata_location from catalog.iceberg_tables')) {
    const metadataLocation = String(row.metadata_location);
    const metadata = await readMetadata(io, metadataLocation);
    needed = needed.union(await referencedFiles(io, { metadata, metadataLocation }));
  }
  const ledger = (await peek('select location from datasets.staged_file')).map((row) => String(row.location));
  const isListed = (file: string) => ledger.some((place) => file === place || file.startsWith(`${place}/`));
  const there = new Set<string>();
  for (const layer of DATASET_LAYERS) {
    for await (const { location } of io.list(`${root}/${layer}`)) there.add(toLocation(location));
  }
  return {
    unnamed: [...there.difference(needed)].filter((file) => !isListed(file)),
    absent: [...needed.difference(there)],
  };
}
