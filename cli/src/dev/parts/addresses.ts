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

/** Whom the addresses of the database name, and the password of that user. */
function readerOf({ database, secrets, env }: AddressFacts): { user: string; password: string } {
  return database.superuserUrl === undefined
    ? { user: env.DB_USER ?? 'weir_app', password: env.DB_PASSWORD ?? '' }
    : { user: READER, password: secrets.reader };
}

/** The line of the password file that belongs to the addresses. */
export function passFileLine(facts: AddressFacts): string {
  const { host, port, name } = facts.database;
  const { user, password } = readerOf(facts);
  return `${[host, String(port), name, user, password].map((part) => part.replace(/[\\:]/g, '\\$&')).join(':')}\n`;
}

/**
 * Every address that a machine may want. `database.url` is for Postgres clients, `catalog.uri` for SQLAlchemy, as
 * PyIceberg wants it, with the catalog's schema first in the search path. Both name the password file, not the password.
 */
export function devAddresses(facts: AddressFacts): DevAddresses {
  const { url, identity, workflowEngine, database, folder, profile, env } = facts;
  const { host, port, name } = database;
  const user = encodeURIComponent(readerOf(facts).user);
  const place = `${user}@${host}:${port}/${encodeURIComponent(name)}?passfile=${encodeURIComponent(folder.passFile)}`;
  return {
    api_url: url,
    docs_url: `${url}/docs`,
    ui_url: url,
    issuer_url: identity.issuer,
    workflow_engine: workflowEngine,
    database: { host, port, name, url: `postgresql://${place}` },
    catalog: {
      name: env.TABLE_CATALOG ?? 'weir',
      uri: `postgresql+psycopg2://${place}&options=-csearch_path%3D${CATALOG_SCHEMA}`,
      schema: CATALOG_SCHEMA,
    },
    warehouse: folder.warehouse,
    profile,
  };
}
