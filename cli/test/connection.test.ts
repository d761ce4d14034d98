import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { profilesFile, readProfiles, writeProfile } from '../src/connection/profiles.ts';
import { type ConnectionLayer, resolveConnection } from '../src/connection/resolve-connection.ts';
import { startOf } from '../src/dev/folder/process-identity.ts';
import { writeState } from '../src/dev/folder/state.ts';
import { commandLine, ending } from './command-line.ts';
import { fakeApi, problem } from './fake-api.ts';

const none = { flags: {}, env: {}, project: {}, profiles: { profiles: {} } };

t.test('flag, then environment, then weir.yaml, then profile, then the running server, field by field', async (t) => {
  const order = ['flags', 'env', 'project', 'profile', 'running'] as const;
  const field = fc.constantFrom('url', 'tenant', 'output' as const);
  fc.assert(
    fc.property(field, fc.subarray([...order]), (name, present) => {
      const layer = (who: (typeof order)[number]) => (present.includes(who) ? { [name]: `http://${who}` } : {});
      const found = resolveConnection({
        flags: layer('flags'),
        env: layer('env'),
        project: layer('project'),
        profiles: { current: 'p', profiles: { p: layer('profile') } },
        running: layer('running'),
      });
      return found[name as keyof ConnectionLayer] === (present.length === 0 ? undefined : `http://${present[0]}`);
    }),
  );
  t.strictSame(resolveConnection(none), {});
});

t.test('a profile is chosen by flag, environment, project, then the current one; a missing one is told', async (t) => {
  const profiles = { current: 'a', profiles: { a: { url: 'http://a' }, b: { url: 'http://b' } } };
  t.equal(resolveConnection({ ...none, profiles }).url, 'http://a');
  t.equal(resolveConnection({ ...none, profiles, env: { profile: 'b' } }).url, 'http://b');
  t.equal(resolveConnection({ ...none, profiles, env: { profile: 'b' }, flags: { profile: 'a' } }).url, 'http://a');
  t.equal(resolveConnection({ ...none, profiles, project: { profile: 'c' } }).missingProfile, 'c');
});

t.test('a stored token never goes to another origin', async () => {
  const url = fc.constantFrom('http://a', 'http://a/', 'http://a:81', 'https://a', 'http://b', 'not a url', undefined);
  const given = (value: string | undefined) => (value === undefined ? {} : { url: value });
  fc.assert(
    fc.property(url, url, url, url, (flag, env, profile, running) => {
      const found = resolveConnection({
        ...none,
        flags: given(flag),
        env: given(env),
        profiles: { current: 'p', profiles: { p: { ...given(profile), token: 'of profile' } } },
        running: { ...given(running), token: 'of running' },
      });
      if (found.token === undefined) return true;
      const stored = found.token === 'of profile' ? profile : running;
      return (found.url === undefined && stored === undefined) || sameOrigin(found.url, stored);
    }),
    { numRuns: 1000 },
  );
});

function sameOrigin(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || !URL.canParse(a) || !URL.canParse(b))
    return !(a && URL.canParse(a)) && !(b && URL.canParse(b));
  return new URL(a).origin === new URL(b).origin;
}

t.test('the profiles file is its owner’s alone, and the first profile becomes current', async (t) => {
  const home = t.testdir({});
  const file = profilesFile({ HOME: home });
  t.equal(file, path.join(home, '.config', 'weir', 'profiles.json'));
  t.equal(profilesFile({ HOME: home, XDG_CONFIG_HOME: '/x' }), '/x/weir/profiles.json');
  t.strictSame(await readProfiles(file), { profiles: {} });
  await writeProfile(file, 'dev', { url: 'http://a', token: 's' });
  await writeProfile(file, 'other', { url: 'http://b' });
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
  const read = await readProfiles(file);
  t.equal(read.current, 'dev');
  t.strictSame(Object.keys(read.profiles), ['dev', 'other']);
  writeFileSync(file, '{');
  await t.rejects(readProfiles(file), ending('usage'));
});

const listed = { 'GET /api/v1/sources': { status: 200, body: { items: [], next_page_token: null, total: 0 } } };

t.test('a server that moved → a read follows, a change fails and is not sent on as a read', async (t) => {
  const { weir } = commandLine(t);
  const there = await fakeApi(t, listed);
  const headers = { location: `${there.url}/api/v1/sources` };
  for (const status of [301, 302, 303]) {
    const moved = { status, headers };
    const here = await fakeApi(t, { 'GET /api/v1/sources': moved, 'POST /api/v1/sources': moved });
    t.equal((await weir(`sources list --url ${here.url}`)).code, 0);
    t.match(await weir(`api POST /sources --set name=x --url ${here.url}`), {
      code: 69,
      stderr: new RegExp(`${status}`),
    });
  }
  t.strictSame([...new Set(there.seen.map(({ call }) => call))], ['GET /api/v1/sources']);
  t.equal(there.seen.length, 3, 'the reads alone');
});

t.test('each layer reaches the API: environment, weir.yaml above the folder, profile, running server', async (t) => {
  const { weir, home, root } = commandLine(t);
  const api = await fakeApi(t, listed);
  const last = () => api.seen.at(-1)?.headers;

  await writeState(path.join(root, '.weir'), {
    supervisor: { name: 'supervisor', pid: process.pid, started: (await startOf(process.pid)) ?? '' },
    processes: [],
    api_url: api.url,
    tenant: 'running',
    token: 'of-running',
  });
  t.equal((await weir('sources list')).code, 0);
  t.match(last(), { authorization: 'Bearer of-running', 'x-tenant-id': 'running' });

  await writeProfile(path.join(home, 'config', 'weir', 'profiles.json'), 'p', {
    url: api.url,
    tenant: 'profile',
    token: 'of-profile',
  });
  await weir('sources list');
  t.match(last(), { authorization: 'Bearer of-profile', 'x-tenant-id': 'profile' });

  const cwd = path.join(home, 'project', 'below');
  mkdirSync(cwd, { recursive: true });
  writeFileSync(path.join(home, 'project', 'weir.yaml'), 'tenant: project\noutput: json\n');
  const ran = await weir('sources list', { cwd });
  t.equal(ran.stdout, '{\n  "items": []\n}\n');
  t.match(last(), { 'x-tenant-id': 'project' });

  writeFileSync(path.join(home, 'token'), 'of-file\n');
  const env = { WEIR_TENANT: 'env', WEIR_TOKEN_FILE: path.join(home, 'token'), WEIR_OUTPUT: 'name' };
  t.equal((await weir('sources list', { cwd, env })).stdout, '');
  t.match(last(), { authorization: 'Bearer of-file', 'x-tenant-id': 'env' });
  await weir('sources list --tenant flag', { cwd, env: { ...env, WEIR_TOKEN: 'of-env' } });
  t.match(last(), { authorization: 'Bearer of-env', 'x-tenant-id': 'flag' });
});

t.test('a server that has ended is not taken for a running one', async (t) => {
  const { weir, root } = commandLine(t);
  const supervisor = { name: 'supervisor', pid: process.pid, started: 'another time' };
  await writeState(path.join(root, '.weir'), {
    supervisor,
    processes: [],
    api_url: 'http://127.0.0.1:1',
    tenant: 't',
    token: 's',
  });
  t.match(await weir('sources list'), { code: 69, stderr: /none is running/ });
});

t.test('a weir.yaml that cannot be understood is a usage error that names it', async (t) => {
  const { weir, home } = commandLine(t);
  writeFileSync(path.join(home, 'weir.yaml'), 'url: [1');
  t.match(await weir('sources list'), { code: 2, stderr: /weir.yaml is not YAML/ });
  writeFileSync(path.join(home, 'weir.yaml'), 'url: 3');
  t.match(await weir('sources list'), { code: 2, stderr: /url in .*weir.yaml must be text/ });
});

t.test('in a checkout its running server goes before the current profile of another', async (t) => {
  const running = { url: 'http://own', tenant: 'demo', token: 'of running' };
  const profiles = { current: 'a', profiles: { a: { url: 'http://a', tenant: 'other', token: 'of a' } } };
  const inside = { ...none, profiles, running, inCheckout: true };
  t.strictSame(resolveConnection(inside), { ...running, tokenFrom: 'running' });
  t.match(resolveConnection({ ...inside, inCheckout: false }), { url: 'http://a', tenant: 'other', profile: 'a' });
  t.match(resolveConnection({ ...inside, flags: { profile: 'a' } }), { url: 'http://a', token: 'of a' });
  const mia = { current: 'mia', profiles: { mia: { url: 'http://own', token: 'of mia' } } };
  t.match(resolveConnection({ ...inside, profiles: mia }), { token: 'of mia', tokenFrom: 'profile', profile: 'mia' });
});

t.test('who has signed out is nobody, not the admin of the server that runs here', async (t) => {
  const running = { url: 'http://own', token: 'of running' };
  const profiles = { current: 'mia', profiles: { mia: { url: 'http://own' } } };
  for (const inCheckout of [true, false])
    t.strictSame(resolveConnection({ ...none, profiles, running, inCheckout }), { url: 'http://own', profile: 'mia' });
});

t.test('profiles are listed, used, removed; the token is printed; any path is called with it', async (t) => {
  const { weir, home, root } = commandLine(t);
  const file = profilesFile({ HOME: home, XDG_CONFIG_HOME: path.join(home, 'config') });
  const api = await fakeApi(t, {
    'GET /api/v1/sources/a%3Ab': { status: 200, body: { name: 'shop' } },
    'POST /api/v1/sources': { status: 201, body: { name: 'new' } },
    'DELETE /api/v1/sources/x': { status: 204 },
  });
  await writeProfile(file, 'dev', { url: api.url, tenant: 'demo', token: 'tok' });
  await writeProfile(file, 'work', { url: 'http://work.example' });
  t.match(await weir('profiles list'), {
    stdout: /NAME +URL +TENANT +SIGNED_IN +CURRENT +USED\ndev +.* +demo +true +true +true\nwork +/,
  });
  t.strictSame(await weir('token'), { code: 0, stdout: 'tok\n', stderr: '' });
  t.strictSame(await weir('api get /sources/a:b'), { code: 0, stdout: 'name  shop\n', stderr: '' });
  t.match(api.seen.at(-1)?.headers, { authorization: 'Bearer tok', 'x-tenant-id': 'demo' });
  t.match(await weir('api POST /api/v1/sources --set config.path=/data --set n=1'), { code: 0 });
  t.strictSame(api.seen.at(-1)?.body, { config: { path: '/data' }, n: 1 });
  t.match(await weir('api DELETE /sources/x'), { code: 2, stderr: /DELETE \/sources\/x of demo at/ });
  t.match(await weir('api DELETE /sources/x --yes'), { code: 0, stderr: 'done\n' });
  for (const wrong of ['api GET http://elsewhere.example/', 'api TRACE /sources'])
    t.match(await weir(wrong), { code: 2 });
  mkdirSync(root, { recursive: true });
  t.match(await weir('token', { cwd: root }), { stdout: 'tok\n', stderr: /the server of this checkout does not run/ });
  t.match(await weir('profiles use work'), {
    code: 0,
    stderr: 'commands use the profile work for http://work.example\n',
  });
  t.match(await weir('token'), { code: 3, stderr: /You are not signed in/ });
  t.match(await weir('profiles remove work'), { code: 2, stderr: /Remove the profile work/ });
  t.match(await weir('profiles remove work --yes'), { code: 0 });
  t.match(await weir('profiles use work'), { code: 4 });
  t.strictSame(await readProfiles(file), { profiles: { dev: { url: api.url, tenant: 'demo', token: 'tok' } } });
});

t.test('a tenant that the token is not for → which one, whose token, and what it is for', async (t) => {
  const { weir, home } = commandLine(t);
  const file = profilesFile({ HOME: home, XDG_CONFIG_HOME: path.join(home, 'config') });
  const api = await fakeApi(t, { 'GET /api/v1/sources': problem(403, 'tenant_not_allowed') });
  const claims = Buffer.from(JSON.stringify({ organization: ['demo'] })).toString('base64url');
  await writeProfile(file, 'bob', { url: api.url, tenant: 'other', token: `x.${claims}.x` });
  const hint = 'The token of the profile bob is not for the tenant other, but for demo: weir tenants use <tenant>';
  t.match(await weir('sources list'), { code: 3, stderr: hint });
  t.match(await weir('sources list', { env: { WEIR_TOKEN: 'opaque' } }), {
    stderr: 'The token is not for the tenant other:',
  });
});
