import { recordEnvelope } from '@weir/connector-sdk';
import { fault } from '../fault.ts';
import type { FileReading } from '../file-reading.ts';
import type { ReadyFile } from '../ready-file.ts';
import { faultOf, type RejectReason } from './reject-reason.ts';

/** A line of a file that is no row. */
export type RejectedLine = {
  readonly reason: RejectReason;
  /** The number of its first line in the file, from 1, and where that begins in the file's content. */
  readonly line: number;
  readonly byte: number;
  /** Its bytes, or the first ones, and how many there are. */
  readonly bytes: Buffer;
  readonly length: number;
};

export type Rejects = {
  readonly count: () => number;
  readonly put: (line: RejectedLine) => Promise<void>;
  /** Logs how many there were. */
  readonly end: () => Promise<void>;
};

/** How many bytes of a line are quoted at once. */
const QUOTED_BYTES = 1024 * 1024;
/** The most bytes of a quoted line: with its envelope it stays below the longest record. */
const MAX_QUOTED_BYTES = 63 * 1024 * 1024;

/** Sends lines of a file that are no rows to quarantine, each with its bytes and position; the log names the first. */
export function rejectLines(file: ReadyFile, reading: FileReading): Rejects {
  const { prefix, suffix } = recordEnvelope(reading.stream, reading.emittedAt);
  let count = 0;
  return {
    count: () => count,
    async put({ reason, line, byte, bytes, length }) {
      if (count === 0) {
        const code = faultOf(reason, file.format);
        const { hint } = fault(code, `${file.where()}, line ${line}`);
        await reading.log('WARN', `A line is no row and goes to quarantine (${code}). ${hint}`);
      }
      count += 1;
      reading.signal.throwIfAborted();
      const place = { reason, file: file.where(), line, ...(file.text.isExact ? { byte } : {}), bytes: length };
      const meta = `,"meta":{"rejected":${JSON.stringify(place)}}`;
      await reading.onLines(Buffer.concat([Buffer.from(prefix), ...quoted(bytes), Buffer.from(`${meta}${suffix}`)]), 1);
    },
    async end() {
      if (count > 1) await reading.log('WARN', `${file.where()}: ${count} lines are no rows and go to quarantine`);
    },
  };
}

/** The bytes as one JSON text, one character a byte: whatever they are, they cannot leave the record that they stand in. */
function quoted(bytes: Buffer): Buffer[] {
  const pieces = [Buffer.from('"')];
  let room = MAX_QUOTED_BYTES;
  for (let at = 0; at < bytes.length; at += QUOTED_BYTES) {
    const piece = Buffer.from(JSON.stringify(bytes.toString('latin1', at, at + QUOTED_BYTES)).slice(1, -1));
    room -= piece.length;
    if (room < 0) break;
    pieces.push(piece);
  }
  return [...pieces, Buffer.from('"')];
}
