import { createUpload } from '@weir/plugin-sources/contract';
import type { Connection } from '../../api/ask.ts';
import { sendFile } from '../../api/send-file.ts';

/** How far sending is. What has arrived stays when a later file fails, and is not sent again. */
export interface Sent {
  bytes: number;
  /** How many files have arrived. */
  files: number;
  upload?: string;
}

export const NOTHING_SENT: Sent = { bytes: 0, files: 0 };

interface Sending {
  connection: Connection;
  signal: AbortSignal;
  /** Called with what is new. */
  reach(more: Partial<Sent>): void;
}

/** Sends files into one upload, one after the other, and goes on from what has arrived. Gives the id of the upload. */
export async function sendAll(files: readonly File[], from: Sent, sending: Sending): Promise<string> {
  const { connection, signal, reach } = sending;
  let { upload } = from;
  const bytesOf = (some: readonly File[]) => some.reduce((sum, { size }) => sum + size, 0);
  for (const [at, file] of files.entries()) {
    if (at < from.files) continue;
    const before = bytesOf(files.slice(0, at));
    const query = { name: file.name, ...(upload === undefined ? {} : { upload_id: upload }) };
    const onProgress = (bytes: number) => reach({ bytes: before + Math.min(bytes, file.size) });
    upload = (await sendFile(connection, createUpload, { query }, { file, signal, onProgress })).upload_id;
    reach({ upload, files: at + 1, bytes: before + file.size });
  }
  if (upload === undefined) throw new Error('There is no file to send.');
  return upload;
}
