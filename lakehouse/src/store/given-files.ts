import { basename, join } from 'node:path';
import { LakehouseError } from '../error/error.ts';
import type { FileIO } from './fileio.ts';

/**
 * The files of a process that has no store: those whose local paths it was given, and drafts in a folder. All else is
 * `store_denied`; a process that hands files on brings an `upload` of its own.
 */
export function givenFiles(
  { paths, drafts }: { paths: ReadonlyMap<string, string>; drafts: string },
  upload?: FileIO['upload'],
): FileIO {
  const denied = () => new LakehouseError('store_denied', 'This process has no store');
  const refuse = async (): Promise<never> => {
    throw denied();
  };
  return {
    read: refuse,
    write: refuse,
    exists: refuse,
    upload: upload ?? refuse,
    remove: async () => undefined,
    list: () => {
      throw denied();
    },
    draftPath: (location) => join(drafts, basename(location)),
    async materialize(location) {
      const path = paths.get(location);
      if (path === undefined) throw new LakehouseError('file_missing', 'A file of an input is missing');
      return { path, release: () => undefined };
    },
  };
}
