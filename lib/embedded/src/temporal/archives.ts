import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';

const TAR_BLOCK = 512;

/** The one file of a zip archive whose path ends with `ending`; undefined when there is none. */
export function fileOfZip(archive: Uint8Array, ending: string): Uint8Array | undefined {
  return Object.values(unzipSync(archive, { filter: ({ name }) => name.endsWith(ending) }))[0];
}

/** The first file of a gzipped tar archive whose base name is `name`; undefined when there is none (POSIX ustar headers). */
export function fileOfTarGz(archive: Uint8Array, name: string): Uint8Array | undefined {
  const tar = gunzipSync(archive);
  for (let at = 0; at + TAR_BLOCK <= tar.length; ) {
    const text = (from: number, length: number) => tar.toString('latin1', at + from, at + from + length).split('\0')[0];
    const size = Number.parseInt(text(124, 12) ?? '', 8);
    if (Number.isNaN(size)) return undefined;
    const start = at + TAR_BLOCK;
    if (text(0, 100)?.split('/').at(-1) === name) return tar.subarray(start, start + size);
    at = start + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return undefined;
}
