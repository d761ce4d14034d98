import type { Writable } from 'node:stream';
import type { Message } from '@weir/connector-sdk';
import type { Wait } from './request/send-deps.ts';

const MS_PER_SECOND = 1_000;

/**
 * Tells the platform a configuration in which a server replaced a token, as CONTROL CONNECTOR_CONFIG. Resolves when the line
 * has left: a refresh token that may be used once must be in safe hands before the next request.
 */
export function sayRotated(stdout: Writable, now: () => number = Date.now) {
  return (config: Record<string, unknown>): Promise<void> => {
    const control = { type: 'CONNECTOR_CONFIG', emitted_at: now(), connectorConfig: { config } };
    return say(stdout, { type: 'CONTROL', control });
  };
}

/** Logs why and for how long the connector waits before a retry. */
export function sayWait(stdout: Writable) {
  return ({ at, ms, status, code, attempt }: Wait): Promise<void> => {
    const cause = status === undefined ? code : `${code}, status ${status}`;
    const message = `${at}: attempt ${attempt} in ${Math.ceil(ms / MS_PER_SECOND)} s (${cause})`;
    return say(stdout, { type: 'LOG', log: { level: 'WARN', message } });
  };
}

function say(stdout: Writable, message: Message): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stdout.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
  return promise;
}
