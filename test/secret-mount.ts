import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  askAsOperator,
  findSecretStore,
  type OperatorAnswer,
  type RunningSecretStore,
  startSecretStore,
} from './secret-store.ts';
import { until } from './until.ts';

const POLICIES = path.resolve(import.meta.dirname, '../deploy/secret-store');

/** The roles of the project's policy files. */
export type StoreRole = 'api' | 'worker';

export interface TestMount {
  mount: string;
  /** What a process with the role's identity is told, the mode included. */
  environment(role: StoreRole): Record<string, string>;
  /** Asks with the operator's token, below `/v1/`. */
  operator(method: string, where: string, body?: object): Promise<OperatorAnswer>;
  /** The name of a role at the store, and of its policy. */
  nameOf(role: StoreRole): string;
}

export interface TestMountOptions {
  /** For tests with several mounts; otherwise that of `testStore`. */
  store?: TestStore;
  /** Settings of the mount beside or instead of those that it must have. */
  config?: Record<string, unknown>;
  /** Settings of both AppRoles beside or instead of those that they must have. */
  role?: Record<string, unknown>;
  /** The rules of a role instead of the project's. */
  policy?(role: StoreRole, project: string): string;
}

interface Teardown {
  teardown(end: () => unknown): unknown;
}

/** A store that its tests ask as its operator. */
export type TestStore = Pick<RunningSecretStore, 'address' | 'caFile' | 'token'>;

/** The store of the test run, or one that ends with this test when no run has started one. */
export async function testStore(t: Teardown): Promise<TestStore> {
  const { WEIR_TEST_SECRET_STORE_ADDR: address, WEIR_TEST_SECRET_STORE_CACERT: caFile } = process.env;
  const { WEIR_TEST_SECRET_STORE_TOKEN: token } = process.env;
  if (address && caFile && token) return { address, caFile, token };
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-secret-store-'));
  const server = await startSecretStore({ binary: await findSecretStore(), folder });
  t.teardown(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return server;
}

/** A KV mount of a test's own on a real OpenBao, with the two roles of the project's policy files; gone with the test. */
export async function testMount(t: Teardown, options: TestMountOptions = {}): Promise<TestMount> {
  const store = options.store ?? (await testStore(t));
  const mount = `weir-${randomBytes(4).toString('hex')}`;
  const operator: TestMount['operator'] = (method, where, body) => askAsOperator(store, method, where, body);
  const must: TestMount['operator'] = async (...asked) => {
    const answer = await operator(...asked);
    if (answer.status >= 300) throw new Error(`the secret store answers ${answer.status} to ${asked[0]} ${asked[1]}`);
    return answer;
  };
  await must('POST', `sys/mounts/${mount}`, { type: 'kv', options: { version: '2' } });
  await configured(operator, mount, options.config);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-identities-'));
  const nameOf = (role: StoreRole) => `${mount}-${role}`;
  for (const role of ['api', 'worker'] as const) {
    const project = (await readFile(path.join(POLICIES, `${role}.hcl`), 'utf8')).replaceAll('"weir/', `"${mount}/`);
    await must('PUT', `sys/policies/acl/${nameOf(role)}`, { policy: options.policy?.(role, project) ?? project });
    const at = `auth/approle/role/${nameOf(role)}`;
    await must('POST', at, { ...roleSettings(nameOf(role)), ...options.role });
    const files = {
      role: (await must('GET', `${at}/role-id`)).body.data?.role_id,
      secret: (await must('POST', `${at}/secret-id`, {})).body.data?.secret_id,
    };
    for (const [kind, value] of Object.entries(files)) {
      await writeFile(path.join(folder, `${role}-${kind}-id`), String(value));
      await chmod(path.join(folder, `${role}-${kind}-id`), 0o400);
    }
  }
  t.teardown(async () => {
    await operator('DELETE', `sys/mounts/${mount}`).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });
  return {
    mount,
    operator,
    nameOf,
    environment: (role) => ({
      SOURCE_CREDENTIAL_MODE: 'secret_store',
      SECRET_STORE_ADDR: store.address,
      SECRET_STORE_CACERT: store.caFile,
      SECRET_STORE_ROLE_ID_FILE: path.join(folder, `${role}-role-id`),
      SECRET_STORE_SECRET_ID_FILE: path.join(folder, `${role}-secret-id`),
      WEIR_SECRET_STORE_MOUNT: mount,
    }),
  };
}

/** As `docs/how-to/keep-credentials-in-a-secret-store.md` has an operator make them. */
const roleSettings = (policy: string) => ({
  token_policies: [policy],
  token_no_default_policy: true,
  token_ttl: '20m',
  token_max_ttl: '1h',
});

/** A new mount of version 2 answers 400 for a moment, until it is ready. */
async function configured(operator: TestMount['operator'], mount: string, own: Record<string, unknown> = {}) {
  const config = { max_versions: 100_000, cas_required: true, ...own };
  await until('a new mount', async () => (await operator('POST', `${mount}/config`, config)).status < 300, 'often');
}
