import { LakehouseError } from './error.ts';
import { parseLocation } from './fileio.ts';
import { localFileIO } from './fileio-local.ts';
import { s3FileIO } from './fileio-s3.ts';
import type { Store, StoreOptions } from './store-options.ts';

/**
 * Opens the files of a warehouse. Makes no connection and no folder before it is used; `store_denied` when an S3
 * warehouse comes without credentials.
 */
export function openStore({ warehouse, scratch, s3, cacheBytes }: StoreOptions): Store {
  const root = parseLocation(warehouse);
  if (root.kind === 'file') return { ...localFileIO({ root: root.path }), close: async () => undefined };
  if (s3 === undefined) throw new LakehouseError('store_denied', 'An S3 warehouse needs credentials');
  return s3FileIO({ root, scratch, s3, ...(cacheBytes !== undefined && { cacheBytes }) });
}
