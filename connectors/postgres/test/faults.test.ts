import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import t from 'tap';
import { CONFIG_SCHEMA } from '../src/config-schema.ts';
import { postgresFault } from '../src/postgres-fault.ts';
import { ALLOWED, type Config, configured, database, discover, parquetRows, readSegments, run } from './kit.ts';

const CANARY = 'CNRY-password';
const { sql, config, name } = await database();
await sql(
  `CREATE TABLE a (id int); CREATE ROLE ${name}_nobody LOGIN PASSWORD '${CANARY}'; REVOKE CREATE ON SCHEMA public FROM PUBLIC`,
);

async function checked(more: Config, environment: Record<string, string> = ALLOWED) {
  const said = await run('check', { config: config(more) }, environment);
  t.notMatch(JSON.stringify(said.lines), CANARY, 'no line holds the password');
  const { status, code, hint } = said.messages[0].connectionStatus;
  if (status === 'FAILED' && !/\w/.test(hint)) t.fail(`${code} has no hint`);
  return code ?? status;
}

t.test('the pattern file carries the configuration schema of the program', async (t) => {
  const pattern = JSON.parse(await readFile(new URL('../pattern.json', import.meta.url), 'utf8'));
  t.strictSame(pattern.spec, JSON.parse(JSON.stringify(CONFIG_SCHEMA)));
  t.strictSame(
    pattern.fields
      .filter(({ credential }: { credential: boolean }) => credential)
      .map(({ path }: { path: string }) => path),
    ['password'],
  );
  t.equal(pattern.image, `weir/connector-postgres:${pattern.version}`);
});

t.test('whatever is wrong with a configuration has a code and a hint of its own', async (t) => {
  const wrong: readonly (readonly [string, Config, Record<string, string>?])[] = [
    ['SUCCEEDED', {}],
    ['config_invalid', { host: '' }],
    ['config_invalid', { unknown: 1 }],
    ['config_invalid', { schemas: [] }],
    ['config_invalid', { schemas: ['a', 'a'] }],
    ['config_invalid', { slot: 'No-Slot' }],
    ['config_invalid', { port: 70_000 }],
    ['address_invalid', { host: '/var/run/postgresql' }],
    ['address_invalid', { host: `user:${CANARY}@host` }],
    ['address_refused', {}, {}],
    ['address_refused', { host: '169.254.169.254' }],
    ['egress_setting_invalid', {}, { WEIR_EGRESS_ALLOW: 'ten' }],
    ['server_unreachable', { host: 'no-such-host.invalid' }],
    ['server_unreachable', { port: 1 }],
    ['login_failed', { password: CANARY }],
    ['database_unknown', { database: 'nowhere' }],
    ['schema_unknown', { schemas: ['nowhere'] }],
    ['no_tables_found', { username: `${name}_nobody`, password: CANARY }],
    ['tls_unsupported', { ssl_mode: 'require' }],
    ['tls_unsupported', { ssl_mode: undefined }],
  ];
  for (const [expected, more, environment] of wrong) {
    t.equal(await checked(more, environment), expected, JSON.stringify(more).replace(CANARY, '…'));
  }
});

t.test('each mode of TLS trusts what it says', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-tls-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  await promisify(execFile)('openssl', [...made, '-keyout', key, '-out', cert, ...names]);
  const ca = await readFile(cert, 'utf8');
  const front = await tlsFront(await readFile(key), ca, Number(config().port));
  t.teardown(() => front.server.close());
  const with_ = (host: string, ssl_mode: string, ssl_ca?: string) =>
    checked({ host, port: front.port, ssl_mode, ...(ssl_ca === undefined ? {} : { ssl_ca }) });
  t.equal(await with_('127.0.0.1', 'require'), 'SUCCEEDED');
  t.equal(await with_('127.0.0.1', 'verify-ca'), 'server_untrusted', 'nobody known has signed it');
  t.equal(await with_('127.0.0.1', 'verify-ca', ca), 'SUCCEEDED');
  t.equal(await with_('127.0.0.1', 'verify-full', ca), 'server_untrusted', 'it does not name the host');
  t.equal(
    await checked(
      { host: 'localhost', port: front.port, ssl_mode: 'verify-full', ssl_ca: ca },
      { WEIR_EGRESS_ALLOW: '127.0.0.0/8 ::1' },
    ),
    'SUCCEEDED',
  );
  t.equal(await with_('127.0.0.1', 'verify-full', 'no certificate'), 'server_untrusted');

  await sql(`CREATE TABLE sealed AS SELECT i AS id, repeat('x', i % 3000) AS filler FROM generate_series(1, 4000) i`);
  const how = config({ port: front.port, ssl_mode: 'require' });
  const { files } = await readSegments(how, configured(await discover(how), {}, 'sealed'));
  const list = files.map((file) => `'${file}'`).join(', ');
  const [rows] = await parquetRows(`SELECT count(*), sum(id), sum(length(filler)) FROM read_parquet([${list}])`);
  const [expected] = await sql('SELECT count(*), sum(id) AS ids, sum(length(filler)) AS chars FROM sealed');
  await sql('DROP TABLE sealed');
  t.strictSame(rows?.map(String), Object.values(expected ?? {}), 'rows come whole through TLS');
});

t.test('what a server answers becomes a fault without a word of the answer', async (t) => {
  const states = {
    '57P01': 'server_stopping',
    '53300': 'too_many_connections',
    '42501': 'rights_missing',
    '40001': 'read_cancelled',
    '28000': 'tls_required',
    '99999': 'server_failed',
    ECONNRESET: 'connection_lost',
  };
  for (const [code, expected] of Object.entries(states)) {
    const found = postgresFault(Object.assign(new Error(CANARY), { code }));
    t.equal(found.code, expected);
    t.notMatch(`${found.message} ${found.hint}`, CANARY);
  }
});

/** A server that speaks TLS as Postgres does and hands everything on to one that does not. */
async function tlsFront(key: Buffer, cert: string, port: number): Promise<{ server: Server; port: number }> {
  const { connect } = await import('node:net');
  const secureContext = createSecureContext({ key, cert });
  const pass = (plain: Socket) => {
    plain.once('data', () => {
      plain.write('S');
      const secured = new TLSSocket(plain, { isServer: true, secureContext });
      const behind = connect(port, '127.0.0.1');
      for (const socket of [secured, behind]) socket.on('error', () => [secured, behind].map((one) => one.destroy()));
      secured.pipe(behind).pipe(secured);
    });
    plain.on('error', () => undefined);
  };
  const server = createServer(pass);
  await new Promise<void>((listening) => server.listen(0, () => listening()));
  return { server, port: (server.address() as { port: number }).port };
}
