import type { ClientConfig } from 'pg';
import { connect } from './connect.ts';

/** The namespaces of the platform: every tenant reads them, none lands in them. */
const SHARED_NAMESPACES = ['raw.shared', 'registry.shared'];

/** Makes the shared namespaces of a catalog as the owner; idempotent. */
export async function ensureSharedNamespaces(connection: ClientConfig, catalogName: string): Promise<void> {
  const client = await connect(connection);
  try {
    await client.query(
      `insert into catalog.iceberg_namespace_properties (catalog_name, namespace, property_key, property_value)
       select $1, namespace, 'exists', 'true' from unnest($2::text[]) as namespace on conflict do nothing`,
      [catalogName, SHARED_NAMESPACES],
    );
  } finally {
    await client.end();
  }
}
