import type { Writable } from 'node:stream';
import type { Message } from '@weir/connector-sdk';

/**
 * Tells the platform a configuration in which a server replaced a token, as CONTROL CONNECTOR_CONFIG. Resolves when the line
 * has left: a refresh token that may be used once must be in safe hands before the next request.
 */
export function sayRotated(stdout: Writable, now: () => number = Date.now) {
  return (config: Record<string, unknown>): Promise<void> => {
    const control = { type: 'CONNECTOR_CONFIG', emitted_at: now(), connectorConfig: { config } };
    const message: Message = { type: 'CONTROL', control };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdout.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    return promise;
  };
}
