import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { pace } from '../../test/until.ts';
import { withFileLock } from '../src/connection/file-lock.ts';
import { type Profiles, type Session, writeProfile } from '../src/connection/profiles.ts';
import { sessionOf } from '../src/connection/session.ts';
import { rolesFor, tokenFacts } from '../src/connection/token-facts.ts';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';
import { ADA, fakeProvider, tokenOf } from './fake-provider.ts';

const COMMANDS = 8;
/** As many of them as are processes of their own. */
const PROCESSES = 4;
const MAIN = path.join(import.meta.dirname, '../src/main.ts');
const LOCK = path.join(import.meta.dirname, '../src/connection/file-lock.ts');
const FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const LISTED = { 'GET /api/v1/sources': { status: 200, body: { items: [], next_page_token: null, total: 0 } } };

const session = (issuer: string, more: Partial<Session> = {}): Session => ({
  issuer,
  client_id: 'weir-cli',
  organization_claim: 'organization',
  access_token: tokenOf({ ...ADA, nth: 0 }),
  refresh_token: 'refresh-0',
  expires_at: new Date(Date.now() - 1_000).toISOString(),
  ...more,
});

/** A command line whose session has ended a second ago. */
async function expired(t: Test, answers: Parameters<typeof fakeProvider>[1] = {}, more: Partial<Session> = {}) {
  const line = commandLine(t);
  const idp = await fakeProvider(t, answers);
  const api = await fakeApi(t, LISTED);
  const file = path.join(line.home, 'config', 'weir', 'profiles.json');
  await writeProfile(file, 'p', { url: api.url, tenant: 'acme', session: session(idp.issuer, more) });
  const stored = () => (JSON.parse(readFileSync(file, 'utf8')) as Profiles).profiles.p;
  return { ...line, idp, api, file, stored };
}

t.test('of several commands at once whose session has ended, one asks the provider, and all go on', async (t) => {
  const used = new Set<string>();
  const { home, idp, api, stored } = await expired(t, {
    async token(form, nth) {
      const refresh = form.get('refresh_token') ?? '';
      await pace(200);
      if (used.has(refresh)) return { status: 400, json: { error: 'invalid_grant' } };
      used.add(refresh);
      const access_token = tokenOf({ ...ADA, nth });
      return { json: { access_token, refresh_token: `refresh-${nth}`, token_type: 'Bearer', expires_in: 300 } };
    },
  });
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { HOME: home, XDG_CONFIG_HOME: path.join(home, 'config'), PATH, NODE_COMPILE_CACHE };
  const children = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, [...FLAGS, MAIN, 'sources', 'list'], { env, cwd: home, stdio: 'ignore' }),
  );
  const ends = await Promise.all(children.map((child) => once(child, 'exit')));
  t.strictSame(
    ends.map(([code]) => code),
    Array(PROCESSES).fill(0),
  );
  t.equal(idp.seen.filter(({ call }) => call === 'token').length, 1);
  t.equal(api.seen.length, PROCESSES);
  const { access_token, refresh_token } = stored()?.session ?? {};
  t.ok(api.seen.every(({ headers }) => headers.authorization === `Bearer ${access_token}`));
  t.equal(refresh_token, 'refresh-1');
});

t.test('the lock ends with its holder, and one of any number has it at a time', async (t) => {
  const file = path.join(t.testdir({}), 'lock');
  const hold = `import { withFileLock } from ${JSON.stringify(LOCK)};
    await withFileLock(process.argv[1], undefined, () => { process.stdout.write('held'); return new Promise(() => setInterval(() => {}, 1000)); });`;
  const args = [...FLAGS, '--input-type=module', '--eval', hold, file];
  const holder: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout as NodeJS.ReadableStream, 'data');
  const order: string[] = [];
  const waiting = withFileLock(file, undefined, async () => void order.push('had it'));
  order.push('killed');
  holder.kill('SIGKILL');
  await waiting;
  t.strictSame(order, ['killed', 'had it']);
  let inside = 0;
  let most = 0;
  const enter = () =>
    withFileLock(file, undefined, async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    });
  await Promise.all(Array.from({ length: COMMANDS }, enter));
  t.equal(most, 1);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(file).size, 0);
});

t.test('a session that the provider has ended says weir login, and one without a refresh token too', async (t) => {
  const gone = await expired(t, { token: { status: 400, json: { error: 'invalid_grant' } } });
  t.match(await gone.weir('sources list'), { code: 3, stderr: /session has ended[\s\S]*weir login/ });
  t.equal(gone.api.seen.length, 0, 'the server was not asked with a token that has ended');
  const without = await expired(t);
  const { refresh_token: _none, ...rest } = session(without.idp.issuer);
  await writeProfile(without.file, 'p', { url: without.api.url, session: rest });
  t.match(await without.weir('sources list -o json'), { code: 3, stderr: /"code":"session_expired"/ });
});

t.test('a provider that is away is told from a session that has ended, and the session stays', async (t) => {
  const { weir, idp, stored } = await expired(t);
  await idp.stop();
  t.match(await weir('sources list'), { code: 69, stderr: /provider_unavailable/ });
  t.equal(stored()?.session?.refresh_token, 'refresh-0');
  t.match(await weir('logout'), { code: 69, stderr: /signed out here, but not at the identity provider/ });
  t.equal(stored()?.session, undefined);
  t.match(await weir('logout'), { code: 0, stderr: /you were not signed in/ });
});

t.test('a provider that sends no new refresh token lets the old one be used again', async (t) => {
  const json = { access_token: tokenOf(ADA), token_type: 'Bearer', expires_in: 1 };
  const { weir, idp, stored } = await expired(t, { token: { json } });
  for (let times = 1; times <= 2; times++) t.equal((await weir('sources list')).code, 0);
  t.equal(stored()?.session?.refresh_token, 'refresh-0');
  t.strictSame(
    idp.seen.flatMap(({ call, form }) => (call === 'token' ? [form.get('refresh_token')] : [])),
    ['refresh-0', 'refresh-0'],
  );
});

t.test('a clock that is wrong by years neither ends a session nor keeps it: lifetimes alone are used', async (t) => {
  const provider = { issuer: 'https://idp.example', client_id: 'c', organization_claim: 'o' };
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 0, max: 86_400 }), (now, expiresInS) => {
      const tokens = { accessToken: 'a', refreshToken: undefined, expiresInS };
      return Date.parse(sessionOf(tokens, provider, now).expires_at) - now === expiresInS * 1_000;
    }),
    { numRuns: 1_000 },
  );
  const then = Math.floor(Date.now() / 1_000) - 2 * 365 * 86_400;
  const old = { iat: then, exp: then + 300, sub: 'ada', aud: 'weir-cli' };
  const { weir, idp } = await expired(t);
  const id_token = tokenOf({ ...old, iss: idp.issuer });
  idp.answers.token = { json: { access_token: tokenOf(ADA), id_token, token_type: 'Bearer', expires_in: 300 } };
  t.equal((await weir('sources list')).code, 0, 'an ID token of another time is no matter');
});

t.test('a file with tokens that others may read is refused, and one without any is not', async (t) => {
  const { weir, file, api } = await expired(t, {}, { expires_at: new Date(Date.now() + 600_000).toISOString() });
  t.equal((await weir('sources list')).code, 0);
  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    chmodSync(file, mode);
    t.match(
      await weir('sources list'),
      { code: 2, stderr: /others than you may read it[\s\S]*chmod 600/ },
      mode.toString(8),
    );
  }
  const calls = api.seen.length;
  writeFileSync(file, JSON.stringify({ profiles: { p: { url: api.url } }, current: 'p' }));
  t.equal((await weir('sources list')).code, 0);
  t.equal(api.seen.length, calls + 1);
});

t.test('a profiles file that holds something else is refused by name, without an echo of it', async (t) => {
  const { weir, home } = commandLine(t);
  const file = path.join(home, 'config', 'weir', 'profiles.json');
  mkdirSync(path.dirname(file), { recursive: true });
  const url = 'http://127.0.0.1:1';
  const whole = session(url);
  const odd = [
    '{',
    '[]',
    'null',
    '{"profiles":5}',
    '{"profiles":{"p":null}}',
    '{"profiles":{"p":{"url":5}}}',
    '{"current":5,"profiles":{}}',
    ...Object.keys(whole).map((key) => JSON.stringify({ profiles: { p: { url, session: { ...whole, [key]: 5 } } } })),
    JSON.stringify({ profiles: { p: { url, session: { ...whole, expires_at: 'soon' } } } }),
  ];
  for (const text of odd) {
    writeFileSync(file, text, { mode: 0o600 });
    const ran = await weir('sources list');
    t.match(ran, { code: 2, stderr: /profiles.json (is not JSON|does not hold profiles)/ }, text);
    t.notMatch(ran.stderr, 'refresh-0');
  }
  writeFileSync(file, JSON.stringify({ current: 'constructor', profiles: {} }));
  t.match(await weir('sources list'), { code: 69 }, 'a name that every object has is no profile');
});

t.test('what a token says is read from any text without an error', async () => {
  const claims = fc.record(
    {
      sub: fc.jsonValue(),
      exp: fc.jsonValue(),
      organization: fc.jsonValue(),
      realm_access: fc.jsonValue(),
      tenant_roles: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const read = (token: string) => {
    const facts = tokenFacts(token);
    return (
      facts === undefined || (Array.isArray(facts.roles) && facts.tenants.every((each) => typeof each === 'string'))
    );
  };
  fc.assert(
    fc.property(
      fc.oneof(
        claims.map(tokenOf),
        fc.string(),
        fc.string().map((text) => `a.${text}.b`),
      ),
      read,
    ),
    {
      numRuns: 1_000,
    },
  );
});

t.test('roles are those of the tenant where the token has such, and those of all otherwise', async (t) => {
  const of = (claims: object, tenant: string) => {
    const facts = tokenFacts(tokenOf(claims));
    return facts && rolesFor(facts, tenant);
  };
  const realm_access = { roles: ['admin', 'platform_admin', 'offline_access'] };
  t.strictSame(of({ realm_access }, 'acme'), ['admin', 'platform_admin']);
  const tenant_roles = { acme: ['viewer', 'odd'] };
  t.strictSame(of({ realm_access, tenant_roles }, 'acme'), ['viewer', 'platform_admin']);
  t.strictSame(of({ tenant_roles }, 'constructor'), []);
});
