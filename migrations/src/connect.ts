import { databaseTlsFault } from '@weir/vault';
import { Client, type ClientConfig } from 'pg';
import { LedgerMismatch } from './ledger-mismatch.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * One session. Its loss rejects the query that runs; as an event alone it must not take the process down. Throws
 * `LedgerMismatch` when TLS keeps it from connecting.
 */
export async function connect(config: ClientConfig): Promise<Client> {
  const client = new Client({
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'weir-migrations',
    ...config,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    const fault = databaseTlsFault(error);
    throw fault === undefined ? error : new LedgerMismatch(fault);
  }
  return client;
}
