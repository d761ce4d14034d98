import { fileURLToPath } from 'node:url';
import { type ApiServer, bootPlatform, type RunningPlatform, startApi } from '@weir/kernel/boot';
import { type CallResult, call, type Endpoint, type Input, type Tenant } from '@weir/kernel/contract';
import { type Teardown, type TestDatabase, type TestIssuer, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import { WORKFLOW_CACHE } from './workflow-cache.ts';

/** The deployment of this repository. */
export const platformFile = fileURLToPath(new URL('../platform.json', import.meta.url));

/** The whole platform as it is deployed, on a database of its own, with two tenants. */
export interface TestPlatform {
  api: ApiServer;
  platform: RunningPlatform;
  database: TestDatabase;
  issuer: TestIssuer;
  /** What every process of this platform is started with. */
  environment: Record<string, string>;
  token(alias: string, role?: string): Promise<string>;
  call<E extends Endpoint>(
    who: { token?: string; tenant?: string; headers?: Record<string, string> },
    endpoint: E,
    input?: Partial<Input<E>>,
  ): Promise<CallResult<E>>;
}

/**
 * Boots every plugin of `platform.json` and the API on a free port; `folder` holds warehouse, work and state, `more` is
 * added to the environment, with another `platform.json` if it names one, and `adapt` may change what the API sees of the platform.
 */
export async function testPlatform(
  t: Teardown,
  folder: string,
  more: Record<string, string> = {},
  adapt: (platform: RunningPlatform) => RunningPlatform = (platform) => platform,
): Promise<TestPlatform> {
  const file = more.WEIR_PLATFORM ?? platformFile;
  const plugins = await tools.readPluginMigrations(file, tools.migrations);
  const migrate: typeof tools.migrate = (database, list) => tools.migrate(database, list, { plugins });
  const database = await testDatabase(t, { ...tools, migrate });
  for (const alias of TENANTS) await database.tenant(alias);
  const issuer = await testIssuer(t);
  const environment = { ...platformEnvironment({ database, issuer, folder }), ...more };
  const log = pino({ level: process.env.WEIR_TEST_LOG ?? 'silent' });
  const platform = adapt(await bootPlatform({ platformFile: file, environment, program: 'test', log }));
  for (const alias of TENANTS) await giveOwnPlugins(platform, alias);
  const api = await startApi(platform);
  t.teardown(async () => {
    await api.stop();
    await platform.stop();
  });
  return {
    api,
    platform,
    database,
    issuer,
    environment,
    token: (alias, role = 'admin') =>
      issuer.userToken({ subject: `${role}@${alias}`, organizations: [alias], roles: [role] }),
    call: (who, endpoint, input = {}) => call(endpoint, input, { url: api.url, ...who }),
  };
}

const TENANTS = ['acme', 'other'];

/** Gives a tenant the opt-in plugins of this repository; what a third party brings is off, as everywhere. */
async function giveOwnPlugins({ plugins, tenants, tenantPlugins }: RunningPlatform, alias: string): Promise<void> {
  const tenant = (await tenants.byAlias(alias)) as Tenant;
  const own = plugins.filter(
    ({ manifest }) => manifest.tenancy === 'opt-in' && manifest.packageName.startsWith('@weir/'),
  );
  for (const { manifest } of own) await tenantPlugins.set(tenant, manifest.id, { enabled: true, changedBy: 'test' });
}

/** The environment of a platform's processes. */
export function platformEnvironment(parts: {
  database: Pick<TestDatabase, 'name' | 'app'>;
  issuer: TestIssuer;
  folder: string;
}): Record<string, string> {
  const { database, issuer, folder } = parts;
  const [workflowHost = '127.0.0.1', workflowPort = '7233'] = (process.env.WEIR_TEST_TEMPORAL_ADDRESS ?? '').split(':');
  return {
    WEIR_MODE: 'development',
    WEIR_HTTP_PORT: '0',
    WEIR_PLATFORM: platformFile,
    DB_HOST: database.app.host,
    DB_PORT: String(database.app.port),
    DB_NAME: database.app.database,
    DB_USER: database.app.user,
    DB_PASSWORD: database.app.password,
    WORKFLOW_HOST: workflowHost,
    WORKFLOW_PORT: workflowPort,
    WORKFLOW_SOURCE_TASK_QUEUE: `source-${database.name}`,
    WORKFLOW_DISCOVERY_TASK_QUEUE: `discovery-${database.name}`,
    WORKFLOW_GENERAL_TASK_QUEUE: `general-${database.name}`,
    WORKFLOW_TRANSFORM_TASK_QUEUE: `transform-${database.name}`,
    WORKFLOW_MAINTENANCE_TASK_QUEUE: `maintenance-${database.name}`,
    WORKFLOW_ONTOLOGY_SYNC_TASK_QUEUE: `ontology-sync-${database.name}`,
    WORKFLOW_ONTOLOGY_SYNC_V2_TASK_QUEUE: `ontology-sync-v2-${database.name}`,
    IDP_URL: issuer.url,
    IDP_ISSUER: issuer.url,
    WEIR_WAREHOUSE: `${folder}/warehouse`,
    WEIR_WORK_DIR: `${folder}/work`,
    WEIR_UPLOAD_DIR: `${folder}/uploads`,
    WEIR_CACHE_DIR: WORKFLOW_CACHE,
    WEIR_STATE_DIR: `${folder}/state`,
    WEIR_RUN_LOG_DIR: `${folder}/run-logs`,
  };
}
