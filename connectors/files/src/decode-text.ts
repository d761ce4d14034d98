import { fault } from './fault.ts';
import type { Encoding } from './source-file.ts';

/** Text of any encoding as UTF-8 without a mark; UTF-8 goes through as it is. `encoding_invalid` for what is no text in it. */
export async function* decodeText(
  source: AsyncIterable<Buffer>,
  encoding: Encoding,
  where: string,
): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* source;
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (block?: Buffer) => {
    try {
      return Buffer.from(decoder.decode(block, { stream: block !== undefined }));
    } catch {
      throw fault('encoding_invalid', where);
    }
  };
  for await (const block of source) yield decode(block);
  yield decode();
}
