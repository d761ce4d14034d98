import { inspect } from 'node:util';
import type Docker from 'dockerode';
import { ConnectorError } from '../connector-error.ts';
import { engineLibrary } from './engine-library.ts';

export type EngineClient = Docker;

/** How long an ordinary answer of the engine may take. */
export const ANSWER_TIMEOUT_MS = 30_000;

/**
 * A client of the engine behind exactly this socket. The library would let DOCKER_HOST and its companions win over a
 * socket that is given: every option that they set is set here. It is loaded only where an engine is used.
 */
export async function engineClient(socketPath: string): Promise<EngineClient> {
  const Library = engineLibrary();
  const nothing = {
    host: undefined,
    port: undefined,
    username: undefined,
    ca: undefined,
    cert: undefined,
    key: undefined,
  };
  const options = {
    ...nothing,
    protocol: 'http' as const,
    socketPath,
    pathPrefix: undefined,
    timeout: undefined,
    agent: engineAgent(),
  };
  return new Library(options as unknown as Docker.DockerOptions);
}

/**
 * An agent that keeps no connection, as one that an engine before this one left open would answer nothing; and that stays
 * out of what the library writes of every request for a log that nobody has: all connections of the moment with all that
 * they refer to, for more processor time than the request takes.
 */
function engineAgent() {
  // An import of it makes Node load its fetch and its WebSocket too, which costs more than all of our own code.
  const { Agent } = process.getBuiltinModule('node:http');
  return Object.assign(new Agent({ keepAlive: false }), { [inspect.custom]: () => 'Agent' });
}

/** Loads the library ahead of its first use. Never throws: who uses it is told. */
export function loadEngineLibrary(): void {
  try {
    engineLibrary();
  } catch {
    // The first use tries again, and says so.
  }
}

/** The HTTP status of what the engine refused; undefined when it did not answer at all. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** The engine's own words of a refusal. They may name images and paths, so they are matched and never shown. */
export function wordsOf(error: unknown): string {
  const { json, message } = (error ?? {}) as { json?: { message?: unknown }; message?: unknown };
  return String(json?.message ?? message ?? '');
}

/** Rejects with `connector_runtime_unavailable` when an answer takes longer than any may. */
export async function within<T>(answer: Promise<T>, ms = ANSWER_TIMEOUT_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const reason = 'engine_silent';
  const timer = setTimeout(() => reject(new ConnectorError('connector_runtime_unavailable', { reason })), ms);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
