import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '../until.ts';
import { type Check, check, type Lane } from './lane.ts';
import { claimsOf, decline, deviceTokens, signIn } from './people.ts';
import type { Keycloak } from './start-keycloak.ts';

interface Stored {
  profiles: Record<string, { session?: { access_token: string; refresh_token: string; expires_at: string } }>;
}

const profilesOf = ({ home }: Lane) => path.join(home, 'config', 'weir', 'profiles.json');
const stored = async (lane: Lane) => JSON.parse(await readFile(profilesOf(lane), 'utf8')) as Stored;
const sessionIn = async (lane: Lane) => (await stored(lane)).profiles.lane?.session;

/** Makes the session of the profile one that has ended by the clock. */
async function age(lane: Lane): Promise<void> {
  const read = await stored(lane);
  const { session } = read.profiles.lane ?? {};
  if (session === undefined) throw new Error('nobody is signed in');
  session.expires_at = new Date(0).toISOString();
  await writeFile(profilesOf(lane), JSON.stringify(read));
}

/** Hears the address of a sign-in in what a terminal shows. */
const addressed = (visit: (address: string) => void) => (text: string) => {
  const address = /Open\s+(\S+)/.exec(text)?.[1];
  if (address !== undefined) visit(address);
};

/** Changes the record of a person. */
async function changePerson({ admin }: Keycloak, username: string, change: object): Promise<void> {
  const [person] = (await admin('GET', `/users?exact=true&username=${username}`)) as { id: string }[];
  if (person === undefined) throw new Error(`the realm has no ${username}`);
  await admin('PUT', `/users/${person.id}`, { ...person, ...change });
}

const codeOf = (stderr: string) =>
  (JSON.parse(stderr.slice(stderr.indexOf('{"error"'))) as { error: { code: string } }).error.code;

const commands: Check[] = [
  check('weir login, by the pages of Keycloak', '0, ann, acme', async (lane) => {
    let signing: Promise<void> | undefined;
    const said = addressed((address) => {
      signing = signIn(address, 'ann');
    });
    const ran = await lane.weir(`login --url ${lane.apiUrl} --profile lane -o json`, said);
    await signing;
    if (ran.code !== 0) return ran.stderr;
    const { name, tenant } = JSON.parse(ran.stdout) as { name: string; tenant: string };
    return `${ran.code}, ${name}, ${tenant}`;
  }),
  check('weir sources list, weir whoami', '0, admin', async (lane) => {
    const { code } = await lane.weir('sources list');
    const { roles } = JSON.parse((await lane.weir('whoami -o json')).stdout) as { roles: string[] };
    return `${code}, ${roles}`;
  }),
  check(
    'a session that has ended is renewed, with a refresh token that is good once',
    '0, renewed, invalid_grant',
    async (lane) => {
      const before = await sessionIn(lane);
      await age(lane);
      const { code } = await lane.weir('sources list');
      const after = await sessionIn(lane);
      const form = { client_id: 'weir-cli', grant_type: 'refresh_token', refresh_token: before?.refresh_token ?? '' };
      const { error } = await lane.keycloak.post('token', form);
      return `${code}, ${before?.refresh_token === after?.refresh_token ? 'the same' : 'renewed'}, ${error}`;
    },
  ),
  check('a refresh token that was used twice ends the session: weir login', '3, session_expired', async (lane) => {
    await age(lane);
    const { code, stderr } = await lane.weir('sources list -o json');
    return `${code}, ${codeOf(stderr)}`;
  }),
  check('weir logout ends the session at Keycloak', '0, invalid_grant', async (lane) => {
    await lane.weir(
      'login',
      addressed((address) => void signIn(address, 'vic')),
    );
    const { refresh_token = '' } = (await sessionIn(lane)) ?? {};
    const { code } = await lane.weir('logout');
    const form = { client_id: 'weir-cli', grant_type: 'refresh_token', refresh_token };
    return `${code}, ${(await lane.keycloak.post('token', form)).error}`;
  }),
  check('whoever says no in the browser declines it', '3, sign_in_declined', async (lane) => {
    const { code, stderr } = await lane.weir(
      'login -o json',
      addressed((address) => void decline(address, 'vic')),
    );
    return `${code}, ${codeOf(stderr)}`;
  }),
  check('a person who was disabled has no session any more', '0, 3, session_expired', async (lane) => {
    const signedIn = await lane.weir(
      'login',
      addressed((address) => void signIn(address, 'vic')),
    );
    await changePerson(lane.keycloak, 'vic', { enabled: false });
    await age(lane);
    const { code, stderr } = await lane.weir('sources list -o json');
    return `${signedIn.code}, ${code}, ${codeOf(stderr)}`;
  }),
];

/** Adds a signing key that goes before the others. */
async function rotateKeys({ admin }: Keycloak): Promise<void> {
  const { id } = (await admin('GET', '')) as { id: string };
  await admin('POST', '/components', {
    name: 'rotated',
    providerId: 'rsa-generated',
    providerType: 'org.keycloak.keys.KeyProvider',
    parentId: id,
    config: { priority: ['1000'], enabled: ['true'], active: ['true'], keySize: ['2048'], algorithm: ['RS256'] },
  });
}

const kidOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

let known = '';

const outages: Check[] = [
  check('new signing keys are noticed, and tokens of the old ones stay good', 'another key, 200, 200', async (lane) => {
    const old = (await deviceTokens(lane.keycloak, 'ann')).access;
    await rotateKeys(lane.keycloak);
    known = (await deviceTokens(lane.keycloak, 'ann')).access;
    // The API reads keys once in 30 s at most.
    const seen = await until('an API that knows the new key', async () => (await lane.read(known)) === '200' && '200');
    return `${kidOf(old) === kidOf(known) ? 'the same key' : 'another key'}, ${seen}, ${await lane.read(old)}`;
  }),
  check('Keycloak is stopped: whoever is signed in goes on', '200, 400 validation_failed', async (lane) => {
    const fresh = (await deviceTokens(lane.keycloak, 'bo')).access;
    await lane.keycloak.stop();
    const person = claimsOf(known).preferred_username === 'ann' ? await lane.read(known) : 'nobody';
    return `${person}, ${await lane.change(fresh, 'other')}`;
  }),
  check('and weir login says that it does not answer', '69, provider_unavailable', async (lane) => {
    const { code, stderr } = await lane.weir(`login --url ${lane.apiUrl} -o json`);
    return `${code}, ${codeOf(stderr)}`;
  }),
];

/** The command line at a real provider, and what happens while the provider changes its keys or is away. Run last. */
export const sessionChecks: readonly Check[] = [...commands, ...outages];
