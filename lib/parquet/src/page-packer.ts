import { constants, createZstdCompress } from 'node:zlib';
import type { PackedPage } from './file-writer.ts';
import { type ColumnPage, LEVEL, pageOf } from './packed-page.ts';

/** Packed bytes lie in memory of so many, one page behind the other. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** Packs pages one after the other, beside the thread that asks for it. */
export type PagePacker = {
  /** Packs the values of a column in a group of so many rows. The page's memory is used until it is settled. */
  readonly pack: (rows: number, page: ColumnPage) => Promise<PackedPage>;
  /** Gives its memory back; no page is packed any more. */
  readonly close: () => void;
};

/** Makes a packer whose pages share one context and the memory they are packed into: a fresh one for each costs a fifth more. */
export function pagePacker(): PagePacker {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  // Each write is a frame of its own.
  const stream = createZstdCompress({ chunkSize: CHUNK_BYTES, params, flush: constants.ZSTD_e_end });
  let pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => void pieces.push(piece));
  // Whoever waits for a page is told.
  stream.on('error', () => undefined);
  const packed = (values: Buffer) =>
    new Promise<Buffer>((resolve, reject) => {
      stream.write(values, (error) => {
        const [first, ...more] = pieces;
        pieces = [];
        if (error) reject(error);
        else if (first === undefined) reject(new Error('a page was packed to nothing'));
        else resolve(more.length === 0 ? first : Buffer.concat([first, ...more]));
      });
    });
  return {
    async pack(rows, page) {
      const { values, dictionary } = page;
      const both = await Promise.all([packed(values), dictionary && packed(dictionary.values)]);
      return pageOf(rows, page, { values: both[0], dictionary: both[1] });
    },
    close: () => void stream.destroy(),
  };
}
