import { type Client, type ClientConfig, escapeIdentifier, escapeLiteral } from 'pg';
import { connect } from './connect.ts';

/** A server as its superuser reaches it. */
export interface SuperuserPlace {
  /** A superuser's URL on any database of the server. */
  superuserUrl: string;
  /** How the connection is protected. */
  ssl?: ClientConfig['ssl'];
}

export interface BootstrapOptions extends SuperuserPlace {
  database: string;
  passwords: { owner: string; app: string; system: string };
}

/** Two processes may bootstrap at once; roles belong to the whole server. */
const BOOTSTRAP_LOCK = 7_305_001;
/** The database that a server comes with. */
const COMMON_DATABASE = 'postgres';

/**
 * Makes the three roles and the database, or brings their passwords up to date; idempotent. No role is a member of
 * another, none is superuser, none bypasses row security. The public schema is closed, and so is database `postgres`
 * to roles that were not granted it.
 */
export async function bootstrapDatabase({ database, passwords, ...place }: BootstrapOptions): Promise<void> {
  const server = await connect({ connectionString: place.superuserUrl, ssl: place.ssl });
  try {
    await server.query('select pg_advisory_lock($1)', [BOOTSTRAP_LOCK]);
    await ensureRole(server, 'weir_owner', passwords.owner, 'nobypassrls');
    await ensureRole(server, 'weir_app', passwords.app, 'nobypassrls');
    await ensureRole(server, 'weir_system', passwords.system, 'nobypassrls');
    const { rowCount } = await server.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) await server.query(`create database ${escapeIdentifier(database)} owner weir_owner`);
    if (database !== COMMON_DATABASE) await closeCommonDatabase(server);
  } finally {
    await server.end();
  }
  await inDatabase(place, database, async (inside) => {
    await inside.query('revoke all on schema public from public');
    await inside.query(`revoke temporary on database ${escapeIdentifier(database)} from public`);
  });
}

/** Every role may enter it and make temporary tables there, so that what a role of ours finds out could be left there. */
async function closeCommonDatabase(server: Client): Promise<void> {
  const { rowCount } = await server.query(
    `select 1 from pg_database where datname = $1
     and (has_database_privilege('public', oid, 'connect') or has_database_privilege('public', oid, 'temporary'))`,
    [COMMON_DATABASE],
  );
  if (rowCount === 1) await server.query(`revoke connect, temporary on database ${COMMON_DATABASE} from public`);
}

/** A role for development clients that reads every tenant's tables: never made outside development. */
export async function createDevelopmentReader(
  place: SuperuserPlace,
  database: string,
  password: string,
): Promise<void> {
  await inDatabase(place, database, async (inside) => {
    await ensureRole(inside, 'weir_dev', password, 'bypassrls');
    const { rows } = await inside.query(
      `select nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')`,
    );
    for (const { nspname } of rows) {
      const schema = escapeIdentifier(String(nspname));
      await inside.query(`grant usage on schema ${schema} to weir_dev`);
      await inside.query(`grant select on all tables in schema ${schema} to weir_dev`);
    }
  });
}

async function ensureRole(client: Client, role: string, password: string, bypass: 'bypassrls' | 'nobypassrls') {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  const verb = rowCount === 0 ? 'create' : 'alter';
  await client.query(
    `${verb} role ${role} login nosuperuser nocreatedb nocreaterole noreplication ${bypass} password ${escapeLiteral(password)}`,
  );
}

async function inDatabase(
  place: SuperuserPlace,
  database: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const address = new URL(place.superuserUrl);
  address.pathname = `/${database}`;
  const client = await connect({ connectionString: address.href, ssl: place.ssl });
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
