import { setTimeout as delay } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { LakehouseError } from '../error/error.ts';
import type { S3Options } from './store-options.ts';

/** Requests that one operation may make in all. */
export const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection over which nothing comes for so long counts as lost. */
const IDLE_TIMEOUT_MS = 15_000;
const MAX_CONNECTIONS = 32;
/** What the region-less services of one machine sign with. */
const DEFAULT_REGION = 'us-east-1';

type Patience = { readonly attemptMs: number; readonly totalMs: number };
/** How long one request may last, from its connection to the last byte of its answer, and until when another one may be started. */
export type S3Limits = Readonly<Record<'short' | 'transfer', Patience>>;
const LIMITS: S3Limits = {
  short: { attemptMs: 10_000, totalMs: 25_000 },
  transfer: { attemptMs: 60_000, totalMs: 180_000 },
};

const REQUEST_TIMEOUT = 408;
const PRECONDITION_FAILED = 412;
const RANGE_UNSATISFIABLE = 416;
const TOO_MANY_REQUESTS = 429;
const FIRST_SERVER_FAULT = 500;
const NOT_IMPLEMENTED = 501;
const STORAGE_FULL = 507;

/** Refusals that say by their name alone that the same request may pass later. */
const PASSING = ['ConditionalRequestConflict', 'RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown', 'InternalError'];

type Refusal = { readonly name?: string; readonly $metadata?: { readonly httpStatusCode?: number } };

function statusOf(error: unknown): number | undefined {
  return (error as Refusal | undefined)?.$metadata?.httpStatusCode;
}

/** Whether the store said that there is no such object, upload or bucket. */
export const isMissing = (error: unknown): boolean => statusOf(error) === 404;

/** Whether the store said that the place is taken. */
export const isTaken = (error: unknown): boolean => statusOf(error) === PRECONDITION_FAILED;

/** Whether a range begins at or behind the end of the object. */
export const isPastEnd = (error: unknown): boolean => statusOf(error) === RANGE_UNSATISFIABLE;

/** Whether it is open what became of a request: no answer, or one of a store in trouble. It may be made again. */
export function isTransient(error: unknown): boolean {
  if (error instanceof LakehouseError) return false;
  const status = statusOf(error);
  if (PASSING.includes((error as Refusal | undefined)?.name ?? '')) return true;
  // A successful status beside an error: the answer broke off, or its body says that the store is in trouble.
  if (status === undefined || status < 300 || status === REQUEST_TIMEOUT || status === TOO_MANY_REQUESTS) return true;
  return status >= FIRST_SERVER_FAULT && status !== NOT_IMPLEMENTED && status !== STORAGE_FULL;
}

/** The failure of an operation in this library's words. */
export function s3Error(cause: unknown): LakehouseError {
  if (cause instanceof LakehouseError) return cause;
  const refusal = (code: 'file_missing' | 'file_exists' | 'disk_full' | 'store_denied', message: string) =>
    new LakehouseError(code, message, { cause });
  const status = statusOf(cause) ?? 0;
  if ((cause as Refusal).name === 'NoSuchBucket') return refusal('store_denied', 'The object store has no such bucket');
  if (isMissing(cause)) return refusal('file_missing', 'A table file is missing');
  if (isTaken(cause)) return refusal('file_exists', 'A table file exists already');
  if (status === STORAGE_FULL) return refusal('disk_full', 'The warehouse has no space left');
  if (status >= 300 && status < FIRST_SERVER_FAULT && !isTransient(cause)) {
    return refusal('store_denied', 'The object store refuses the request');
  }
  return new LakehouseError('store_unavailable', 'The object store does not answer', { cause });
}

/** One request; it ends at the signal. */
export type S3Request<T> = (client: S3Client, options: { abortSignal: AbortSignal }) => Promise<T>;

export type S3Caller = {
  /** Makes a request until it is answered, at most `MAX_ATTEMPTS` times; rejects with the store's last error. */
  call<T>(request: S3Request<T>, limits?: keyof S3Limits): Promise<T>;
  close(): void;
};

function connect(options: S3Options): S3Client {
  const { accessKeyId, secretAccessKey, endpoint, region = DEFAULT_REGION } = options;
  const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  return new S3Client({
    // Everything that the SDK would else look up in variables, files or on the network is said here.
    region,
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    forcePathStyle: options.pathStyle ?? endpoint !== undefined,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    retryMode: 'standard',
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    disableMultiregionAccessPoints: true,
    defaultsMode: 'standard',
    // Other stores than Amazon's refuse checksums that they do not know; the signature covers the bytes anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

/**
 * A client of an S3 store with bounded patience. Attempts are counted here and not by the SDK, as only the caller knows
 * which requests may be made again, and what an answer means when an earlier request was left without one.
 */
export function s3Caller(options: S3Options, patience: S3Limits = LIMITS): S3Caller {
  const client = connect(options);
  return {
    async call(request, limits = 'short') {
      const { attemptMs, totalMs } = patience[limits];
      const until = Date.now() + totalMs;
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await request(client, { abortSignal: AbortSignal.timeout(attemptMs) });
        } catch (error) {
          const pause = Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
          if (!isTransient(error) || attempt === MAX_ATTEMPTS || Date.now() + pause > until) throw error;
          await delay(pause);
        }
      }
    },
    close: () => client.destroy(),
  };
}
