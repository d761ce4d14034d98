import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { freePort, supervise, untilReady } from '@weir/embedded';
import type { Teardown } from '@weir/kernel/testing';
import { PATIENT_MS } from '../until.ts';
import { keycloakRelease } from './keycloak-release.ts';

const REALM_FILE = path.join(import.meta.dirname, 'realm.json');
export const REALM = 'weir';
const ADMIN = 'admin';

/** What `kc.sh` starts, without the shell around it, so that one process is stopped by its pid. */
const JAVA = [
  ...['-Xms64m', '-Xmx512m', '-XX:MaxMetaspaceSize=256m', '--add-opens=java.base/java.util=ALL-UNNAMED'],
  '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
  '-Dpicocli.disable.closures=true',
  '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory',
];
const START = [
  ...['start', '--optimized', '--import-realm', '--cache=local', '--http-enabled=true', '--hostname-strict=false'],
  '--http-host=127.0.0.1',
];

/** A real Keycloak with the realm of `realm.json`, in memory. */
export interface Keycloak {
  url: string;
  issuer: string;
  /** A POST of a form to an endpoint of the realm, such as `token`; `basic` is `client:secret`. */
  post(endpoint: string, form: Record<string, string>, basic?: string): Promise<Record<string, unknown>>;
  /** A call of the admin API, path from the realm on; the parsed answer. */
  admin(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts Keycloak in a folder of its own and resolves when its realm answers; it ends with `t`. */
export async function startKeycloak(t: Teardown, folder: string, say: (line: string) => void): Promise<Keycloak> {
  const release = await keycloakRelease(say);
  const home = path.join(folder, 'keycloak');
  await mkdir(path.join(home, 'data', 'import'), { recursive: true });
  for (const part of ['conf', 'lib', 'providers', 'themes'])
    await symlink(path.join(release, part), path.join(home, part));
  await copyFile(REALM_FILE, path.join(home, 'data', 'import', 'weir.json'));
  const port = await freePort();
  const password = randomBytes(18).toString('base64url');
  const child = await supervise({
    name: 'Keycloak',
    command: 'java',
    args: [
      ...JAVA,
      `-Dkc.home.dir=${home}`,
      `-Djboss.server.config.dir=${path.join(home, 'conf')}`,
      ...['-cp', path.join(home, 'lib', 'quarkus-run.jar'), 'io.quarkus.bootstrap.runner.QuarkusEntryPoint'],
      ...[...START, `--http-port=${port}`],
    ],
    env: { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN, KC_BOOTSTRAP_ADMIN_PASSWORD: password },
    logFile: path.join(folder, 'keycloak.log'),
  });
  const stop = async () => void (await child.stop('SIGTERM'));
  t.teardown(stop);
  const url = `http://127.0.0.1:${port}`;
  const issuer = `${url}/realms/${REALM}`;
  const started = performance.now();
  const answers = async () => (await fetch(`${issuer}/.well-known/openid-configuration`)).ok;
  await untilReady('Keycloak', child, answers, PATIENT_MS);
  say(`  ✓ Keycloak, realm ${REALM}, ${Math.round((performance.now() - started) / 1_000)} s   → ${issuer}`);
  return { url, issuer, stop, post: poster(issuer), admin: administrator(url, password) };
}

function poster(issuer: string): Keycloak['post'] {
  return async (endpoint, form, basic) => {
    const authorization = basic === undefined ? undefined : `Basic ${Buffer.from(basic).toString('base64')}`;
    const answer = await fetch(`${issuer}/protocol/openid-connect/${endpoint}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: authorization === undefined ? {} : { authorization },
    });
    const text = await answer.text();
    return text === '' ? {} : JSON.parse(text);
  };
}

function administrator(url: string, password: string): Keycloak['admin'] {
  return async (method, place, body) => {
    const form = { grant_type: 'password', client_id: 'admin-cli', username: ADMIN, password };
    const { access_token: token } = await poster(`${url}/realms/master`)('token', form);
    const answer = await fetch(`${url}/admin/realms/${REALM}${place}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the admin API answered ${answer.status} to ${method} ${place}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}
