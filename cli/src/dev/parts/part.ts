import { open } from 'node:fs/promises';
import { CliError } from '../../cli-error.ts';

/** One running part of the development server. */
export interface Part {
  name: string;
  pid: number;
  role?: string;
  logFile: string;
  exited: Promise<unknown>;
  stop(): Promise<unknown>;
  /** Until it is ready, its end is a matter of whoever starts it. */
  starting?: boolean;
}

const TAIL_BYTES = 64 * 1024;
const TAIL_LINES = 12;

/** The last lines of a file; none when it cannot be read. */
export async function lastLines(file: string, lines = TAIL_LINES): Promise<string[]> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return [];
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const all = buffer
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return all.slice(-lines);
  } finally {
    await handle.close();
  }
}

/** The failure of a part that ended by itself, with the last lines of its log. */
export async function diedError(part: Part): Promise<CliError> {
  const lines = await lastLines(part.logFile);
  const tail = lines.length === 0 ? '' : `\n${lines.map((line) => `    ${line}`).join('\n')}`;
  return new CliError('failed', `The ${part.name} ended by itself.${tail}`, {
    code: 'part_died',
    hint: `The whole log: ${part.logFile}`,
  });
}
