import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { databaseTls, SSL_MODES } from '@weir/vault';
import type { ClientConfig } from 'pg';
import {
  bootstrapDatabase,
  createDevelopmentReader,
  createTenant,
  ensureSharedNamespaces,
  LedgerMismatch,
  migrate,
  migrations,
  type PluginMigrations,
  readPluginMigrations,
  type SuperuserPlace,
} from './index.ts';

const EXIT_REFUSED = 78;

const TLS_NAMES = ['WEIR_DB_SSL_MODE', 'WEIR_DB_SSL_ROOT_CERT', 'WEIR_DB_SSL_CERT', 'WEIR_DB_SSL_KEY'];

/** `NAME` or the content of the file that `NAME_FILE` names. */
function variable(name: string, fallback?: string): string {
  const file = process.env[`${name}_FILE`];
  const value = file === undefined ? process.env[name] : readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (value === undefined && fallback === undefined) throw new LedgerMismatch(`${name} or ${name}_FILE is required`);
  return value ?? (fallback as string);
}

/** How a connection to this host is protected. Throws `LedgerMismatch` with the settings that cannot be followed. */
function sslTo(host: string): NonNullable<ClientConfig['ssl']> {
  const isSet = (name: string) => process.env[name] !== undefined || process.env[`${name}_FILE`] !== undefined;
  const given = TLS_NAMES.filter(isSet).map((name) => [name, variable(name)]);
  const settings = { WEIR_MODE: process.env.WEIR_MODE, ...Object.fromEntries(given) };
  const { WEIR_DB_SSL_MODE: mode = 'disable' } = settings as Record<string, string>;
  if (!SSL_MODES.some((known) => known === mode))
    throw new LedgerMismatch(`WEIR_DB_SSL_MODE must be one of ${SSL_MODES.join(', ')}`);
  const { ssl, faults } = databaseTls(settings, host);
  if (faults.length > 0) throw new LedgerMismatch(faults.join('; '));
  return ssl;
}

function ownerConnection(): ClientConfig {
  const host = variable('DB_HOST', '127.0.0.1');
  return {
    host,
    ssl: sslTo(host),
    port: Number(variable('DB_PORT', '5432')),
    database: variable('DB_NAME', 'weir'),
    user: variable('WEIR_DB_OWNER_USER', 'weir_owner'),
    password: variable('WEIR_DB_OWNER_PASSWORD'),
  };
}

/** A superuser's URL; one that names an `sslmode` has the last word on it. */
function superuser(): SuperuserPlace {
  const superuserUrl = variable('WEIR_DB_SUPERUSER_URL');
  return { superuserUrl, ssl: sslTo(URL.parse(superuserUrl)?.hostname ?? '') };
}

/** The third-party lists of the deployment; where none is named and none lies here, there are none. */
async function thirdParties(named: string | undefined): Promise<PluginMigrations[]> {
  const file = resolve(named ?? 'platform.json');
  return named === undefined && !existsSync(file) ? [] : readPluginMigrations(file, migrations);
}

const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** `bootstrap`, `up`, `tenant create <alias>`, `development-reader`: the database commands behind `weir`. */
async function main([command = 'up', ...words]: string[]): Promise<void> {
  if (command === 'bootstrap') {
    await bootstrapDatabase({
      ...superuser(),
      database: variable('DB_NAME', 'weir'),
      passwords: {
        owner: variable('WEIR_DB_OWNER_PASSWORD'),
        app: variable('DB_PASSWORD'),
        system: variable('WEIR_DB_SYSTEM_PASSWORD'),
      },
    });
    print({ database: variable('DB_NAME', 'weir'), bootstrapped: true });
  } else if (command === 'up') {
    const plugins = await thirdParties(variable('WEIR_PLATFORM', '') || undefined);
    const applied = await migrate(ownerConnection(), migrations, {
      plugins,
      releaseSha: variable('WEIR_RELEASE_SHA', '') || undefined,
    });
    await ensureSharedNamespaces(ownerConnection(), variable('TABLE_CATALOG', 'weir'));
    for (const name of applied) print({ applied: name });
    if (applied.length === 0) print({ nothing_to_do: true, head: migrations.at(-1)?.name });
  } else if (command === 'tenant' && words[0] === 'create' && words[1] !== undefined) {
    const { tenantId, alias, scope, created } = await createTenant(ownerConnection(), words[1]);
    print({ tenant_id: tenantId, alias, scope, created });
  } else if (command === 'development-reader') {
    const password = variable('WEIR_DB_DEVELOPMENT_PASSWORD');
    await createDevelopmentReader(superuser(), variable('DB_NAME', 'weir'), password);
    print({ role: 'weir_dev', created: true });
  } else {
    throw new LedgerMismatch('commands: bootstrap, up, tenant create <alias>, development-reader');
  }
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${JSON.stringify({ level: 'fatal', msg: error.message })}\n`);
  process.exitCode = error instanceof LedgerMismatch ? EXIT_REFUSED : 1;
});
