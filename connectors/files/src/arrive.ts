import { join } from 'node:path';
import type { Egress } from '@weir/egress';
import { fault } from './fault.ts';
import { fetchFault, fetchFile, type RemoteFile } from './fetch-file.ts';
import type { FileEntry } from './file-state.ts';
import { changeOf } from './list-folder.ts';
import { bytesOf } from './look-through.ts';
import { saveBytes } from './save-bytes.ts';
import type { LocalPlace, SourceFile } from './source-file.ts';
import { unpack } from './unpack.ts';
import { withHandle } from './with-handle.ts';

/** A file's content on this machine, unpacked. */
export type Content = {
  readonly path: string;
  readonly size: number;
  /** What the state notes of where it came from. */
  readonly facts: Omit<FileEntry, 'bytes' | 'sha256'>;
  /** Where it lies when it is the file of the source itself; undefined for a copy of ours, which nobody else writes to. */
  readonly place?: LocalPlace;
};

export type Reader = {
  /** The way to files behind addresses. */
  readonly egress: () => Egress;
  /** What the state says of the file. */
  readonly known: FileEntry | undefined;
  readonly signal: AbortSignal;
};

/** Brings a file here and unpacks it, into the folder `temp` if need be; undefined when it is known to be unchanged. */
export async function arrive(file: SourceFile, reader: Reader, temp: string): Promise<Content | undefined> {
  const { place } = file;
  if ('url' in place) return download({ ...file, place }, reader, temp);
  const facts = { size: place.size, mtime_ms: place.mtimeMs };
  if (file.packing === undefined) return { path: place.path, size: place.size, facts, place };
  const path = join(temp, 'content');
  const { packing, name } = file;
  try {
    const unpacked = await withHandle(place.path, name, (handle) =>
      saveBytes(path, unpack(bytesOf(handle, 0, place.size), packing, name), name),
    );
    if ((await changeOf(place)) !== 'same') throw fault('file_changed', name);
    return { path, size: unpacked, facts };
  } catch (error) {
    // Half a file looks damaged: that it is being written says more than what is wrong with it.
    throw (await changeOf(place)) === 'same' ? error : fault('file_changed', name);
  }
}

async function download(file: RemoteFile, reader: Reader, temp: string): Promise<Content | undefined> {
  const fetched = await fetchFile(reader.egress(), file, reader.known, reader.signal);
  if (fetched === undefined) return undefined;
  const { body, packing, facts } = fetched;
  const path = join(temp, 'content');
  try {
    const source: AsyncIterable<Buffer> = packing === undefined ? body : unpack(body, packing, file.name);
    const size = await saveBytes(path, source, file.name);
    return { path, size, facts: { size, ...facts } };
  } catch (error) {
    throw fetchFault(error, file.name) ?? error;
  } finally {
    body.destroy();
  }
}
