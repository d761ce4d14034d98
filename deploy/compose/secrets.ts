import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const KEY_BYTES = 32;
/** Five years: who shows the pages to others puts a certificate of theirs in front long before. */
const CERTIFICATE_DAYS = '1825';
const NAMES = 'DNS:localhost,DNS:idp,IP:127.0.0.1';

type Ask = (name: string) => Promise<string>;

/** Passwords; people type the last two, to sign in. */
const PASSWORDS = [
  ...['db_password', 'db_owner_password', 'db_system_password', 'db_superuser_password'],
  ...['workflow_engine_db_password', 'idp_db_password', 'object_store_secret_access_key'],
  ...['idp_admin_password', 'first_admin_password'],
];

/** Files that hold a secret in a form that its reader asks for, from the other secrets. */
const COMPOSED: Readonly<Record<string, (secret: Ask) => Promise<string>>> = {
  object_store_access_key_id: async () => `weir-${randomBytes(8).toString('hex')}`,
  db_superuser_url: async (secret) =>
    `postgresql://postgres:${await secret('db_superuser_password')}@postgres:5432/postgres`,
  workflow_engine: async (secret) => {
    const template = await readFile(path.join(HERE, 'workflow-engine.yaml'), 'utf8');
    return template.replaceAll('{password}', await secret('workflow_engine_db_password'));
  },
  object_store: async (secret) => {
    const credentials = [
      {
        accessKey: await secret('object_store_access_key_id'),
        secretKey: await secret('object_store_secret_access_key'),
      },
    ];
    const actions = ['Admin', 'Read', 'List', 'Tagging', 'Write'];
    return JSON.stringify({ identities: [{ name: 'weir', credentials, actions }] });
  },
  idp: async (secret) =>
    [
      'db-url=jdbc:postgresql://postgres/idp',
      'db-username=idp',
      `db-password=${await secret('idp_db_password')}`,
      'bootstrap-admin-username=admin',
      `bootstrap-admin-password=${await secret('idp_admin_password')}`,
      'https-certificate-file=/run/secrets/idp_certificate',
      'https-certificate-key-file=/run/secrets/idp_key',
      'http-management-scheme=http',
      'hostname-backchannel-dynamic=true',
      'cache=local',
      '',
    ].join('\n'),
  idp_realm: async (secret) => {
    const realm = JSON.parse(await readFile(path.join(HERE, 'idp', 'realm.json'), 'utf8')) as { users: object[] };
    const credentials = [{ type: 'password', value: await secret('first_admin_password') }];
    return JSON.stringify({ ...realm, users: realm.users.map((user) => Object.assign(user, { credentials })) });
  },
};

/**
 * Makes each secret that is missing in a folder that its owner alone may enter; one that is there stays as it is. The files
 * themselves may be read by all: a container's user is another one, and gets only those that its service names. The key of
 * credentials alone is its owner's, which is to be the user of the platform's image.
 */
export async function makeSecrets(folder: string): Promise<{ folder: string; made: string[] }> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const made: string[] = [];
  const place = (name: string) => path.join(folder, name);
  const keep = async (name: string, content: string | Uint8Array, mode = 0o444) => {
    const draft = place(`${name}.draft`);
    await writeFile(draft, content, { mode });
    await rename(draft, place(name));
    made.push(name);
  };
  for (const name of PASSWORDS) {
    if (!existsSync(place(name))) await keep(name, randomBytes(KEY_BYTES).toString('base64url'));
  }
  if (!existsSync(place('credential_key'))) {
    await keep('credential_key', randomBytes(KEY_BYTES), 0o400);
  }
  const secret: Ask = (name) => readFile(place(name), 'utf8');
  for (const [name, compose] of Object.entries(COMPOSED)) {
    if (!existsSync(place(name))) await keep(name, await compose(secret));
  }
  if (!existsSync(place('idp_certificate'))) await makeCertificate(place, made);
  return { folder, made };
}

/** A certificate for the identity provider's own addresses, and the authority that vouches for it and for nothing else. */
async function makeCertificate(place: (name: string) => string, made: string[]): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', CERTIFICATE_DAYS];
  const request = (...args: string[]) => run('openssl', ['req', '-x509', ...key, ...args]);
  const [authority, authorityKey] = [place('authority'), place('authority_key')];
  await request('-subj', '/CN=Weir on this machine', '-keyout', authorityKey, '-out', authority);
  const [certificate, own] = [place('idp_certificate'), place('idp_key')];
  const signed = ['-CA', authority, '-CAkey', authorityKey, '-addext', `subjectAltName=${NAMES}`];
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'extendedKeyUsage=serverAuth'];
  await request('-subj', '/CN=localhost', ...signed, ...leaf, '-keyout', own, '-out', certificate);
  await chmod(authorityKey, 0o400);
  for (const file of [authority, certificate, own]) await chmod(file, 0o444);
  made.push('authority', 'authority_key', 'idp_certificate', 'idp_key');
}
