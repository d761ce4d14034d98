import fastifyCors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const PREFLIGHT_SECONDS = 600;
const REQUEST_HEADERS = [
  ...['authorization', 'content-type', 'idempotency-key', 'if-match', 'last-event-id', 'traceparent', 'x-tenant-id'],
];
const ANSWER_HEADERS = [
  'deprecation',
  'etag',
  'link',
  'location',
  'retry-after',
  'www-authenticate',
  'x-next-page-token',
];

/** A list of origins that is none; the message says what is expected. */
export class OriginsError extends Error {
  override readonly name = 'OriginsError';
}

/**
 * The origins of a list, separated by commas. Each must be spelt exactly as a browser sends it; `*` and
 * `null` stand for anybody: `OriginsError` for these, and for all else that is no origin.
 */
export function allowedOrigins(text: string): string[] {
  const origins = text.split(',').flatMap((part) => part.trim() || []);
  const fault = origins.some((origin) => !/^https?:\/\/[^*]+$/.test(origin) || URL.parse(origin)?.origin !== origin);
  if (fault) {
    throw new OriginsError('must list exact origins, such as https://weir.example.org,http://127.0.0.1:5173');
  }
  return origins;
}

/** Lets pages of these origins call the API with a token; cookies are never involved. */
export async function allowOrigins(app: FastifyInstance, origins: string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(fastifyCors, {
    origin: origins,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ANSWER_HEADERS,
    credentials: false,
    strictPreflight: false,
    maxAge: PREFLIGHT_SECONDS,
  });
}
