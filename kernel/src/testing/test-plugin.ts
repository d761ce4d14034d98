import { randomBytes } from 'node:crypto';
import { createMetrics } from '@weir/metrics';
import { createTelemetry } from '@weir/telemetry';
import { providerKeys, type TokenRules } from '@weir/tokens';
import type { Vault } from '@weir/vault';
import { testVault } from '@weir/vault/testing';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { kernelServices } from '../boot/kernel-services.ts';
import type { KernelSettings } from '../config/kernel-settings.ts';
import { TENANT_ROLES, type TenantRole } from '../contract/access.ts';
import type { Tenant } from '../contract/caller.ts';
import { type CallResult, call } from '../contract/client.ts';
import type { Endpoint, Input } from '../contract/endpoint.ts';
import { contributions } from '../contributions/contributions.ts';
import { readiness } from '../contributions/readiness.ts';
import { auditCalls } from '../http/audit-calls.ts';
import { authenticator } from '../http/authenticate.ts';
import { idempotencyStore } from '../http/idempotency.ts';
import { createServer } from '../http/server.ts';
import { type Database, openDatabase } from '../persistence/open-database.ts';
import type { Provided, Registration, WeirPlugin } from '../plugins/define-plugin.ts';
import type { Kernel } from '../plugins/kernel.ts';
import type { Manifest } from '../plugins/manifest.ts';
import { problemCatalogue } from '../plugins/setup-plugins.ts';
import { createRuns } from '../runs/create-runs.ts';
import { Run } from '../runs/run-entity.ts';
import type { RunKind } from '../runs/runs.ts';
import { tenantPlugins } from '../tenancy/tenant-plugins.ts';
import { tenantStore } from '../tenancy/tenant-store.ts';
import { memoryWorkflows } from './memory-workflows.ts';
import { type DatabaseTools, type TestDatabase, testDatabase } from './test-database.ts';
import { TEST_AUDIENCE, type Teardown, testIssuer } from './test-issuer.ts';

export interface TestPluginOptions {
  /** The migrations package. */
  tools: DatabaseTools;
  settings?: Record<string, unknown>;
  /** Kinds of runs of other plugins. */
  runKinds?: RunKind[];
  /** Services of other plugins: fakes at their ports, or made from the kernel that is given. */
  services?: (kernel: Kernel) => Provided[];
  /** What the kernel says of the plugins that are loaded. */
  manifests?: Manifest[];
  /** Where credentials are kept; sealed with a test key unless given. */
  vault?: Vault;
}

export interface PluginUnderTest {
  app: FastifyInstance;
  database: TestDatabase;
  kernel: Kernel;
  registration: Registration;
  workflows: ReturnType<typeof memoryWorkflows>;
  /** Makes or finds the tenant. */
  tenant(alias: string): Promise<Tenant>;
  /** A caller in one tenant, with real tokens: an `admin`, a person of another role, or a `service` that may do all. */
  as(alias: string, role?: string): { call: Caller; headers(): Promise<Record<string, string>> };
}

const TEST_SERVICE = 'test-service';

/** A plugin alone is always on; the gate is tested with the whole platform. */
const ALL_ENABLED = { isEnabled: async () => true };

/** As much of the kernel's settings as its own services read. */
const SETTINGS = {
  ...{ WEIR_RELEASE_SHA: 'test', WEIR_IMAGE_DIGEST: 'test' },
  ...{ WORKFLOW_HOST: 'memory', WORKFLOW_PORT: 1, WORKFLOW_NAMESPACE: 'memory' },
} as KernelSettings;

type Caller = <E extends Endpoint>(
  endpoint: E,
  input?: Partial<Input<E>>,
  headers?: Record<string, string>,
) => Promise<CallResult<E>>;

/**
 * Boots the kernel's HTTP side with one plugin alone on a real Postgres, and the workflow engine as its in-memory port.
 * Everything stops with the test.
 */
export async function testPlugin(
  t: Teardown,
  plugin: WeirPlugin,
  options: TestPluginOptions,
): Promise<PluginUnderTest> {
  const found = await testDatabase(t, options.tools);
  const log = pino({ level: 'silent' });
  const { app: login } = found;
  const entities = [Run, ...(plugin.spec.entities ?? [])];
  const database = await openDatabase({ ...login, name: login.database, entities, log });
  const { kernel, workflows, registration, given } = setUp(plugin, options, { database, log });
  const issuer = await testIssuer(t);
  const app = createServer(log);
  auditCalls(app, given, log);
  const deps = {
    authenticate: authenticator({
      rules: rulesOf(issuer.url, registration, log),
      tenants: kernel.tenants,
      tenantPlugins: ALL_ENABLED,
      contributions: given,
    }),
    idempotency: idempotencyStore(database.db, randomBytes(32)),
  };
  await app.register(plugin, { registration, deps });
  await registration.start?.();
  t.teardown(async () => {
    await app.close();
    await registration.stop?.();
    await database.close();
  });
  const injected = injectingFetch(app);
  const tokenOf = (alias: string, role: string) =>
    role === 'service'
      ? issuer.serviceToken(TEST_SERVICE)
      : issuer.userToken({ subject: `${role}@${alias}`, organizations: [alias], roles: [role] });
  return {
    app,
    database: found,
    kernel,
    registration,
    workflows,
    tenant: (alias) => found.tenant(alias),
    as: (alias, role = 'admin') => ({
      async call(endpoint, input = {}, headers = {}) {
        const token = await tokenOf(alias, role);
        return call(endpoint, input, { url: 'http://weir.test', token, tenant: alias, headers, fetch: injected });
      },
      headers: async () => ({ authorization: `Bearer ${await tokenOf(alias, role)}`, 'x-tenant-id': alias }),
    }),
  };
}

/** Sets the plugin up over a kernel of the test. */
function setUp(plugin: WeirPlugin, options: TestPluginOptions, { database, log }: { database: Database; log: Logger }) {
  const workflows = memoryWorkflows();
  const given = contributions();
  const kinds: RunKind[] = [...(options.runKinds ?? [])];
  const queueOf = (role: string) => `${role}-task-queue`;
  const runs = createRuns({ db: database.db, workflows, kinds, queueOf, contributions: given, log });
  const tenants = tenantStore(database.sql, () => Date.now());
  const metrics = createMetrics();
  const order = options.manifests ?? [];
  const optIn = new Set(order.flatMap(({ id, tenancy }) => (tenancy === 'opt-in' ? [id] : [])));
  const vault = options.vault ?? testVault();
  const own = kernelServices({
    ...{ version: '0.1.0', settings: SETTINGS, order, queueOf, database, workflows, metrics, contributions: given },
    tenantPlugins: tenantPlugins({ db: database.db, optIn }),
    vault,
    endpoints: () => registration.routes.map(({ endpoint }) => ({ ...endpoint, plugin: plugin.spec.id })),
    problems: () => problemCatalogue([{ owner: plugin.spec.id, problems: plugin.spec.problems ?? {} }]),
  });
  const base: Kernel = {
    mode: 'development',
    settings: options.settings ?? {},
    log,
    db: database.db,
    runs,
    tenants,
    metrics,
    vault,
    span: createTelemetry().span,
    readiness: readiness(given),
    contributions: (point) => given.of(point),
    contributionsFor: (at, point) => given.forTenant(at, point),
    use: () => {
      throw new Error('a service of another service is not there in this test');
    },
  };
  const provided = [...own, ...(options.services?.(base) ?? [])];
  const services = new Map(provided.map(({ id, implementation }) => [id, implementation]));
  const kernel: Kernel = { ...base, use: (token) => services.get(token.id) as never };
  const registration = plugin.spec.setup(kernel);
  given.add(registration.contributes ?? []);
  kinds.push(...(registration.runKinds ?? []));
  return { kernel, workflows, registration, given };
}

/** What tokens of the test's issuer are held to. */
const rulesOf = (issuer: string, { routes }: Registration, log: Logger): TokenRules<TenantRole> => ({
  issuer,
  audience: TEST_AUDIENCE,
  organizationClaim: 'organization',
  tenantRoles: TENANT_ROLES,
  platformAdminRole: 'platform_admin',
  services: new Map([[TEST_SERVICE, { tenants: '*', capabilities: capabilitiesOf(routes) }]]),
  serviceMarks: [{ sub: '{client}' }],
  delegations: new Map(),
  keys: providerKeys({ providerUrl: issuer, log }),
});

const capabilitiesOf = (routes: Registration['routes']) =>
  routes.flatMap(({ endpoint: { access } }) =>
    'capability' in access && access.capability ? [access.capability] : [],
  );

/** The client's fetch over Fastify's injection, so that a test speaks the real wire without a port. */
function injectingFetch(app: FastifyInstance): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    const answer = await app.inject({
      method: (init?.method ?? 'GET') as 'GET',
      url: url.pathname + url.search,
      headers: init?.headers as Record<string, string>,
      ...(init?.body === undefined ? {} : { payload: String(init.body) }),
    });
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(answer.statusCode === 204 ? null : answer.body, { status: answer.statusCode, headers });
  };
}
