import { type FileIO, localFileIO, localPath } from '../../src/index.ts';

/** Where the golden tables were written: the locations in them begin so. */
export const WRITTEN_AT = '/tmp/weir-golden';

/** Files whose locations lie below `WRITTEN_AT`, kept in another folder. */
export function mappedFiles(folder: string): FileIO {
  const io = localFileIO({ root: folder });
  const at = (location: string): string => `${folder}${localPath(location).slice(WRITTEN_AT.length)}`;
  const back = (location: string): string => `file://${WRITTEN_AT}${localPath(location).slice(folder.length)}`;
  return {
    read: (location, range) => io.read(at(location), range),
    write: (location, bytes) => io.write(at(location), bytes),
    exists: (location) => io.exists(at(location)),
    remove: (location) => io.remove(at(location)),
    async *list(prefix) {
      for await (const file of io.list(at(prefix))) yield { ...file, location: back(file.location) };
    },
    draftPath: (location) => io.draftPath(at(location)),
    upload: (path, location) => io.upload(path, at(location)),
    materialize: (location) => io.materialize(at(location)),
  };
}
