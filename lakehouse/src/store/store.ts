import { LakehouseError } from '../error/error.ts';
import { parseLocation } from './fileio.ts';
import { localFileIO } from './fileio-local.ts';
import { placesBelow } from './s3-place.ts';
import type { Store, StoreOptions } from './store-options.ts';

/**
 * Opens the files of a warehouse. Makes no connection and no folder before it is used; `store_denied` when an S3
 * warehouse comes without credentials.
 */
export function openStore({ warehouse, scratch, s3, cacheBytes }: StoreOptions): Store {
  const root = parseLocation(warehouse);
  if (root.kind === 'file') return { ...localFileIO({ root: root.path }), close: async () => undefined };
  if (s3 === undefined) throw new LakehouseError('store_denied', 'An S3 warehouse needs credentials');
  // The client of S3 costs a tenth of a second of every process that loads it; most have their tables in a folder.
  return openedWhenUsed(placesBelow(root), async () => {
    const { s3FileIO } = await import('./fileio-s3.ts');
    return s3FileIO({ root, scratch, s3, ...(cacheBytes !== undefined && { cacheBytes }) });
  });
}

/** A remote store that is opened at its first use; `assertInside` refuses what is outside of it. */
function openedWhenUsed(assertInside: (location: string) => unknown, open: () => Promise<Store>): Store {
  let opened: Promise<Store> | undefined;
  const store = (): Promise<Store> => {
    opened ??= open();
    return opened;
  };
  return {
    read: async (location, range) => (await store()).read(location, range),
    write: async (location, bytes) => (await store()).write(location, bytes),
    exists: async (location) => (await store()).exists(location),
    remove: async (location) => (await store()).remove(location),
    async *list(folder) {
      yield* (await store()).list(folder);
    },
    draftPath(location) {
      assertInside(location);
      return undefined;
    },
    upload: async (path, location) => (await store()).upload(path, location),
    materialize: async (location) => (await store()).materialize(location),
    close: async () => (await opened)?.close(),
  };
}
