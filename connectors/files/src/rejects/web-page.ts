import { fault } from '../fault.ts';
import type { ReadyFile } from '../ready-file.ts';
import { withHandle } from '../with-handle.ts';

const HEAD_BYTES = 512;
const PAGE = /^(?:\ufeff)?\s*<(?:!doctype\s+html|html[\s>]|head[\s>])/i;

/** A web page is no table of one odd column: `file_is_page`. A server that asks for a sign-in answers so. */
export async function assertNoPage({ path, format, where }: ReadyFile): Promise<void> {
  if (format === 'parquet') return;
  const head = await withHandle(path, where(), (handle) => handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0));
  if (PAGE.test(head.buffer.toString('utf8', 0, head.bytesRead))) throw fault('file_is_page', where());
}
