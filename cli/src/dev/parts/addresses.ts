import type { DevFolder, DevSecrets } from '../folder/folder.ts';
import type { DevAddresses } from '../folder/state.ts';
import type { Database, Identity, WorkflowEngine } from './services.ts';

export interface AddressFacts {
  url: string;
  identity: Identity;
  workflowEngine: WorkflowEngine;
  database: Database;
  folder: DevFolder;
  secrets: DevSecrets;
  profile: string;
  env: Record<string, string | undefined>;
}

const CATALOG_SCHEMA = 'catalog';
/** Reads every tenant's rows and writes none; made for development only. */
const READER = 'weir_dev';

/**
 * Every address that a machine may want. `database.url` is for Postgres clients, `catalog.uri` for SQLAlchemy, as
 * PyIceberg wants it, with the catalog's schema first in the search path.
 */
export function devAddresses(facts: AddressFacts): DevAddresses {
  const { url, identity, workflowEngine, database, folder, secrets, profile, env } = facts;
  const { host, port, name } = database;
  const embedded = database.superuserUrl !== undefined;
  const user = encodeURIComponent(embedded ? READER : (env.DB_USER ?? 'weir_app'));
  const password = encodeURIComponent(embedded ? secrets.reader : (env.DB_PASSWORD ?? ''));
  const place = `${user}:${password}@${host}:${port}/${encodeURIComponent(name)}`;
  return {
    api_url: url,
    docs_url: `${url}/docs`,
    ui_url: url,
    issuer_url: identity.issuer,
    workflow_engine: workflowEngine,
    database: { host, port, name, url: `postgresql://${place}` },
    catalog: {
      name: env.TABLE_CATALOG ?? 'weir',
      uri: `postgresql+psycopg2://${place}?options=-csearch_path%3D${CATALOG_SCHEMA}`,
      schema: CATALOG_SCHEMA,
    },
    warehouse: folder.warehouse,
    profile,
  };
}
