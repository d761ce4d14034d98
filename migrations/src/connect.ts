import { Client, type ClientConfig } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;

/** One session. Its loss rejects the query that runs; as an event alone it must not take the process down. */
export async function connect(config: ClientConfig): Promise<Client> {
  const client = new Client({
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'weir-migrations',
    ...config,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
