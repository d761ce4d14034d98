import { execFile } from 'node:child_process';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startPostgres } from '@weir/embedded';
import { serverFolder } from '@weir/embedded/testing';
import { bootPlatform } from '@weir/kernel/boot';
import { testIssuer } from '@weir/kernel/testing';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { unprivileged } from '../../lib/embedded/src/unprivileged.ts';
import { testAuthority } from '../certificates.ts';
import { platformEnvironment } from '../platform.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const PASSWORD = 'test';
/** The platform's roles get in over TLS alone, and with a certificate of their own beside the password. */
const RULES = `
host all postgres all scram-sha-256
hostssl all all all scram-sha-256 clientcert=verify-ca
`;

type Changes = Record<string, string | undefined>;

/** A Postgres that speaks TLS as `localhost`, and one that does not. */
async function servers(t: Test) {
  const folder = await serverFolder('weir-database-tls-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const authority = await testAuthority(folder, 'authority');
  const [server, client] = [await authority.issue('server', 'DNS:localhost'), await authority.issue('client')];
  const hba = join(folder, 'hba.conf');
  await writeFile(hba, RULES);
  const user = unprivileged();
  const files = [authority.certFile, server.certFile, server.keyFile, hba];
  if (user !== undefined) await Promise.all(files.map((file) => chown(file, user.uid, user.gid)));
  const place = { dataDir: join(folder, 'data'), logFile: join(folder, 'log'), superuserPassword: PASSWORD };
  const settings = { fsync: 'off', hba_file: hba, ssl_ca_file: authority.certFile };
  const tls = { ssl: 'on', ssl_cert_file: server.certFile, ssl_key_file: server.keyFile };
  const postgres = await startPostgres({ ...place, settings: { ...settings, ...tls } });
  t.teardown(() => postgres.stop());
  return { folder, authority, client, port: String(postgres.port) };
}

t.test('TLS to the service database', async (t) => {
  const { folder, authority, client, port } = await servers(t);
  const other = await testAuthority(folder, 'other');
  const strangers = await other.issue('stranger');
  const issuer = await testIssuer(t);
  const database = {
    name: 'tls',
    app: { host: 'localhost', port: Number(port), database: 'weir', user: 'weir_app', password: PASSWORD },
  };
  const verified: Changes = {
    ...platformEnvironment({ database, issuer, folder }),
    ...{ WEIR_DB_SSL_MODE: 'verify-full', WEIR_DB_SSL_ROOT_CERT_FILE: authority.certFile },
    ...{ WEIR_DB_SSL_CERT_FILE: client.certFile, WEIR_DB_SSL_KEY_FILE: client.keyFile },
  };
  const program = (file: string, words: string[], changes: Changes = {}) =>
    new Promise<{ code: unknown; said: string }>((done) => {
      const roles = { WEIR_DB_OWNER_PASSWORD: PASSWORD, WEIR_DB_SYSTEM_PASSWORD: PASSWORD };
      const superuser = { WEIR_DB_SUPERUSER_URL: `postgresql://postgres:${PASSWORD}@localhost:${port}/postgres` };
      const env = { ...verified, ...roles, ...superuser, ...changes };
      execFile(process.execPath, [...NODE_ARGS, join(ROOT, file), ...words], { env }, (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, said: stdout + stderr }),
      );
    });
  const migrations = (words: string[], changes?: Changes) => program('migrations/src/main.ts', words, changes);
  const booted = async (changes: Changes = {}) => {
    const environment = { ...verified, ...changes };
    const log = pino({ level: 'silent' });
    const platform = await bootPlatform({
      platformFile: String(environment.WEIR_PLATFORM),
      environment,
      program: 'test',
      log,
    });
    try {
      const { rows } = await platform.database.sql(
        'select ssl, client_dn from pg_stat_ssl where pid = pg_backend_pid()',
        [],
      );
      return rows[0];
    } finally {
      await platform.stop();
    }
  };

  await t.test('the release step refuses what it does not trust with exit 78, and works over TLS', async (t) => {
    t.match(await migrations(['bootstrap']), { code: 0, said: /"bootstrapped":true/ });
    const elsewhere = { WEIR_DB_SSL_ROOT_CERT_FILE: other.certFile };
    t.match(await migrations(['up'], elsewhere), {
      code: 78,
      said: /DB_HOST is not from an authority in WEIR_DB_SSL_ROOT_CERT/,
    });
    t.match(await migrations(['up']), { code: 0, said: /"applied":"s01_kernel"/ });
    t.match(await migrations(['up'], { WEIR_DB_SSL_MODE: 'full' }), {
      code: 78,
      said: /WEIR_DB_SSL_MODE must be one of/,
    });
  });

  await t.test('each mode trusts what it says, and the role shows its certificate', async (t) => {
    const sealed = { ssl: true, client_dn: '/CN=client' };
    t.strictSame(await booted(), sealed);
    const address = { DB_HOST: '127.0.0.1' };
    await t.rejects(booted(address), { name: 'Refusal', message: /the certificate of DB_HOST is for another name/ });
    t.strictSame(await booted({ ...address, WEIR_DB_SSL_MODE: 'verify-ca' }), sealed);
    const unknown = { WEIR_DB_SSL_ROOT_CERT_FILE: other.certFile };
    for (const WEIR_DB_SSL_MODE of ['verify-full', 'verify-ca']) {
      await t.rejects(booted({ ...unknown, WEIR_DB_SSL_MODE }), {
        name: 'Refusal',
        message: /not from an authority in/,
      });
    }
    t.strictSame(await booted({ ...unknown, ...address, WEIR_DB_SSL_MODE: 'require' }), sealed);
  });

  await t.test('a connection in the clear, or with no or a foreign certificate, is refused by name', async (t) => {
    const none = { WEIR_DB_SSL_CERT_FILE: undefined, WEIR_DB_SSL_KEY_FILE: undefined };
    const clear = { ...none, WEIR_DB_SSL_MODE: undefined, WEIR_DB_SSL_ROOT_CERT_FILE: undefined };
    await t.rejects(booted(clear), {
      name: 'Refusal',
      message: /DB_HOST refuses how this role connects; check WEIR_DB_SSL_MODE/,
    });
    await t.rejects(booted(none), { name: 'Refusal', message: /DB_HOST refuses how .* WEIR_DB_SSL_CERT/ });
    const foreign = { WEIR_DB_SSL_CERT_FILE: strangers.certFile, WEIR_DB_SSL_KEY_FILE: strangers.keyFile };
    await t.rejects(booted(foreign), { name: 'Refusal', message: /DB_HOST .* WEIR_DB_SSL_CERT/ });
    const plain = process.env.WEIR_TEST_DATABASE_URL ?? '';
    const without = { DB_PORT: new URL(plain).port };
    await t.rejects(booted(without), {
      name: 'Refusal',
      message: /DB_HOST does not speak TLS, which WEIR_DB_SSL_MODE asks for/,
    });
    const api = await program('kernel/src/main.ts', [], without);
    t.match(api, { code: 78, said: /DB_HOST does not speak TLS/ }, 'the API says so and ends');
    const key = { WEIR_DB_SSL_KEY_FILE: strangers.keyFile };
    await t.rejects(booted(key), { name: 'Refusal', message: /WEIR_DB_SSL_KEY is not the key of WEIR_DB_SSL_CERT/ });
  });
});
