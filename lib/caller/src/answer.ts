import type { IncomingMessage } from 'node:http';
import { CallerError } from './caller-error.ts';

const STATUS = { requestTimeout: 408, tooManyRequests: 429, serverError: 500 };
const MS_PER_SECOND = 1_000;

/** An answer of the service, with whatever status. */
export interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  /** Milliseconds that `Retry-After` asks for. */
  readonly retryAfterMs: number | undefined;
  /** @throws CallerError `answer_invalid` */
  json(): unknown;
}

/** Whether the same request may pass later; a proxy answers so after the service has acted, too. */
export const isTransient = ({ status }: Pick<Answer, 'status'>): boolean =>
  status >= STATUS.serverError || status === STATUS.requestTimeout || status === STATUS.tooManyRequests;

/** Reads at most `maxBytes`. @throws CallerError `answer_too_large`, `connection_lost` */
export async function readAnswer(message: IncomingMessage, maxBytes: number): Promise<Answer> {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw new CallerError('answer_too_large', true);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw new CallerError('connection_lost', true);
  }
  if (size > maxBytes) throw new CallerError('answer_too_large', true);
  const bytes = Buffer.concat(chunks);
  return {
    status: message.statusCode ?? 0,
    bytes,
    retryAfterMs: waitOf(message.headers['retry-after']),
    json: () => parsed(bytes),
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new CallerError('answer_invalid', true);
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function waitOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * MS_PER_SECOND : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
