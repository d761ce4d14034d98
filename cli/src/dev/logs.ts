import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import { plainText } from '../plain-text.ts';
import { devFolder } from './folder/folder.ts';
import { lastLines } from './parts/part.ts';

export interface LogOptions {
  folder: string;
  /** One part; all of them unless given. */
  part?: string;
  follow: boolean;
  tail: number;
  stdout: Writable;
  interrupted: AbortSignal;
}

const POLL_MS = 250;
const CHUNK_BYTES = 256 * 1024;

/** Prints the last lines of the logs; following goes on until the interrupt, which is its ordinary end. */
export async function printLogs({ folder, part, follow, tail, stdout, interrupted }: LogOptions): Promise<void> {
  const logs = devFolder(folder).logs;
  const names = (await readdir(logs).catch(() => []))
    .filter((name) => name.endsWith('.log'))
    .map((name) => name.slice(0, -4));
  if (part !== undefined && !names.includes(part)) {
    throw new CliError('notFound', `There is no log of ${part}.`, {
      code: 'not_found',
      hint: names.length === 0 ? 'weir dev up writes logs.' : `Parts: ${names.join(', ')}`,
    });
  }
  const shown = part === undefined ? names.sort() : [part];
  const prefix = (name: string) => (shown.length > 1 ? `${name} | ` : '');
  const places = new Map<string, number>();
  for (const name of shown) {
    const file = path.join(logs, `${name}.log`);
    places.set(name, (await stat(file)).size);
    for (const line of await lastLines(file, tail)) stdout.write(`${prefix(name)}${plainText(line)}\n`);
  }
  while (follow && !interrupted.aborted) {
    for (const name of shown) {
      const { text, end } = await readFrom(path.join(logs, `${name}.log`), places.get(name) ?? 0);
      places.set(name, end);
      for (const line of text.split('\n').slice(0, -1)) stdout.write(`${prefix(name)}${plainText(line)}\n`);
    }
    await delay(POLL_MS, undefined, { signal: interrupted }).catch(() => undefined);
  }
}

/** Whole lines from a place in a file, and where the next ones begin; a file that shrank is read from its start. */
async function readFrom(file: string, place: number): Promise<{ text: string; end: number }> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return { text: '', end: 0 };
  try {
    const { size } = await handle.stat();
    const from = size < place ? 0 : place;
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(CHUNK_BYTES, size - from)),
      0,
      undefined,
      from,
    );
    const whole = buffer.subarray(0, buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1);
    return { text: whole.toString('utf8'), end: from + whole.length };
  } finally {
    await handle.close();
  }
}
