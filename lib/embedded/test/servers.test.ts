import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import t from 'tap';
import { until } from '../../../test/until.ts';
import {
  developmentToken,
  findTemporal,
  freePort,
  startIdentityProvider,
  startPostgres,
  startTemporal,
} from '../src/index.ts';

/** A folder that an unprivileged server may enter too; gone with the test. */
function folder(t: { teardown(work: () => void): void }): string {
  const made = mkdtempSync(path.join(tmpdir(), 'weir-embedded-'));
  chmodSync(made, 0o711);
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

t.test('Postgres starts on loopback with a password, keeps its data over a restart, and stops', async (t) => {
  const home = folder(t);
  const options = { dataDir: path.join(home, 'data'), logFile: path.join(home, 'log'), superuserPassword: 'secret' };
  const query = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };
  const first = await startPostgres(options);
  await query(first.url, 'create table kept (id int); insert into kept values (7)');
  const wrong = new URL(first.url);
  wrong.password = 'wrong';
  await t.rejects(query(wrong.href, 'select 1'), /password authentication failed/);
  await first.stop();
  t.ok(isGone(first.pid));
  const second = await startPostgres(options);
  t.strictSame(await query(second.url, 'select id from kept'), [{ id: 7 }]);
  // A process of the killed server that ends late keeps the shared memory for as long.
  const [late] = (await readFile(`/proc/${second.pid}/task/${second.pid}/children`, 'utf8')).split(' ').map(Number);
  process.kill(late as number, 'SIGSTOP');
  process.kill(second.pid, 'SIGKILL');
  await second.exited;
  const starting = startPostgres(options);
  const log = () => readFile(options.logFile, 'utf8');
  await until('a start that is refused', async () => (await log()).includes('pre-existing shared memory block'));
  process.kill(late as number, 'SIGCONT');
  const third = await starting;
  t.strictSame(await query(third.url, 'select id from kept'), [{ id: 7 }], 'after kill -9 too');
  await third.stop();
});

t.test('the workflow engine is found, starts healthy on a port of its own, and stops', async (t) => {
  const home = folder(t);
  const { binary, version } = await findTemporal();
  t.match(version, /^\d+\.\d+/);
  const port = await freePort();
  const server = await startTemporal({
    binary,
    port,
    dbFile: path.join(home, 't.db'),
    logFile: path.join(home, 'log'),
  });
  t.equal(server.address, `127.0.0.1:${port}`);
  await server.stop();
  t.ok(isGone(server.pid));
});

t.test('the identity provider signs access tokens in the claim layout of the API, with keys that stay', async (t) => {
  const home = folder(t);
  const port = await freePort();
  const options = { dataDir: path.join(home, 'keys'), logFile: path.join(home, 'log'), port };
  const first = await startIdentityProvider(options);
  const token = await developmentToken(first.issuer, 'ada@demo');
  await t.rejects(developmentToken(first.issuer, 'nobody'), /gave no token/);
  await first.stop();
  t.equal(statSync(path.join(home, 'keys', 'signing-keys.json')).mode & 0o777, 0o600);
  const second = await startIdentityProvider(options);
  const keys = createRemoteJWKSet(new URL(`${second.issuer}/jwks`));
  const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer: second.issuer, audience: 'weir-api' });
  t.match(payload, {
    sub: 'ada@demo',
    azp: 'weir-cli',
    typ: 'Bearer',
    organization: ['demo'],
    realm_access: { roles: ['admin', 'platform_admin'] },
  });
  t.equal(protectedHeader.alg, 'RS256');
  t.equal((payload.exp ?? 0) - (payload.iat ?? 0), 86_400, 'a day, as its answer says');
  await second.stop();
  t.ok(isGone(second.pid));
});

t.test('a service gets a token of its own without people or roles, and a device a code to show', async (t) => {
  const home = folder(t);
  const provider = await startIdentityProvider({ dataDir: path.join(home, 'keys'), logFile: path.join(home, 'log') });
  t.teardown(provider.stop);
  const post = async (where: string, form: Record<string, string>, authorization = '') => {
    const headers = authorization === '' ? {} : { authorization };
    const answer = await fetch(`${provider.issuer}${where}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const service = `Basic ${Buffer.from('weir-service:development').toString('base64')}`;
  const { access_token: token = '' } = await post('/token', { grant_type: 'client_credentials' }, service);
  const keys = createRemoteJWKSet(new URL(`${provider.issuer}/jwks`));
  const { payload } = await jwtVerify(token, keys, { issuer: provider.issuer, audience: 'weir-api' });
  t.match(payload, { sub: 'weir-service', azp: 'weir-service', typ: 'Bearer' });
  t.notOk('realm_access' in payload || 'organization' in payload);
  const device = await post('/device/auth', { client_id: 'weir-cli' });
  t.match(device, { device_code: String, user_code: String, verification_uri: `${provider.issuer}/device` });
});
