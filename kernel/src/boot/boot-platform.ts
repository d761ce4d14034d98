import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createMetrics, type Metrics } from '@weir/metrics';
import { startTelemetry, type Telemetry } from '@weir/telemetry';
import { poolTurns } from '@weir/turns';
import { databaseTls, engineTls, type OpenedVault, openVault, type Vault } from '@weir/vault';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { developmentDefaults } from '../config/development-defaults.ts';
import { type KernelSettings, kernelSettings } from '../config/kernel-settings.ts';
import { type Environment, readSettings, type SettingsOwner } from '../config/settings.ts';
import type { ProblemEntry } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import { runProblems } from '../contract/run-problems.ts';
import { type Contributions, contributions } from '../contributions/contributions.ts';
import type { Duty } from '../duties/duty.ts';
import { armFaultpoints } from '../faultpoint.ts';
import { idempotencySweep } from '../http/sweep-idempotency.ts';
import { createLog } from '../log/log.ts';
import { checkHead, type MigrationsPackage, pluginHistories } from '../persistence/head-check.ts';
import { type Database, openDatabase } from '../persistence/open-database.ts';
import type { WeirPlugin } from '../plugins/define-plugin.ts';
import type { Mode } from '../plugins/kernel.ts';
import type { Platform } from '../plugins/manifest.ts';
import { type LoadedPlugin, problemCatalogue, setupPlugins } from '../plugins/setup-plugins.ts';
import { createRuns } from '../runs/create-runs.ts';
import { Run } from '../runs/run-entity.ts';
import { runMetrics } from '../runs/run-metrics.ts';
import type { RunKind } from '../runs/runs.ts';
import { type TenantPlugins, tenantPlugins } from '../tenancy/tenant-plugins.ts';
import { tenantStore } from '../tenancy/tenant-store.ts';
import { assertEngineTls, enginePlace } from '../workflows/engine-place.ts';
import { temporalWorkflows } from '../workflows/temporal-workflows.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { kernelServices } from './kernel-services.ts';
import { planPlatform, queueSettings, taskQueue } from './plan-platform.ts';
import { proveVault } from './prove-vault.ts';

/** It answers no calls: its pool is for runs, whose tenants have lanes. */
const WORKER = 'worker';

export interface BootOptions {
  /** Path of `platform.json`. */
  platformFile: string;
  environment: Environment;
  /** Name of the program in its log lines, such as `api`. */
  program: string;
  /** A log of the caller's, for tests; otherwise one on stdout at the configured level. */
  log?: Logger;
  /** Of the program itself, which has read them before. */
  settings?: readonly SettingsOwner[];
}

/** Everything that a program stands on: plugins set up, database checked, workflow client there. Nothing listens yet. */
export interface RunningPlatform {
  version: string;
  settings: KernelSettings;
  log: Logger;
  telemetry: Telemetry;
  database: Database;
  workflows: Workflows;
  runs: ReturnType<typeof createRuns>;
  tenants: ReturnType<typeof tenantStore>;
  tenantPlugins: TenantPlugins;
  metrics: Metrics;
  contributions: Contributions;
  vault: Vault;
  deriveKey: OpenedVault['deriveKey'];
  /** Refuses the start when the secret store does not keep what is written; for the program that writes into it. */
  proveVault(): Promise<void>;
  plugins: readonly LoadedPlugin[];
  /** Work for each tenant that the API does beside answering calls, of the kernel and of all plugins. */
  duties: readonly Duty[];
  problems: ReadonlyMap<string, ProblemEntry>;
  /** Imports another door of a plugin's package, such as `./worker`. */
  importDoor(plugin: LoadedPlugin, door: string): Promise<Record<string, unknown>>;
  /** Stops the plugins in reverse order, then the connections. */
  stop(): Promise<void>;
}

/**
 * Boots the platform up to the point where a program can listen or poll: manifests, plan, settings, database role and
 * migration head, set-up in plan order, declared compared with brought, starts. Throws `Refusal` when it must not run.
 */
export async function bootPlatform(options: BootOptions): Promise<RunningPlatform> {
  const plan = await readPlan(options);
  const { settings } = plan;
  const telemetry = await startTelemetry({
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    service: `weir-${options.program}`,
    version: settings.WEIR_RELEASE_SHA,
    log: { warn: (message) => log.warn(message), info: (message) => log.info(message) },
  });
  const { logKeys } = telemetry;
  const log: Logger = options.log ?? createLog({ level: settings.WEIR_LOG_LEVEL, name: options.program, logKeys });
  const release = (await plan.importFrom(plan.platform.migrations)) as unknown as MigrationsPackage;
  const histories = await pluginHistories(release, plan.platform.file);
  const database = await openDatabase({
    host: settings.DB_HOST,
    port: settings.DB_PORT,
    name: settings.DB_NAME,
    user: settings.DB_USER,
    password: settings.DB_PASSWORD.reveal(),
    ssl: databaseTls(settings, settings.DB_HOST).ssl,
    poolSize: settings.WEIR_DB_POOL_SIZE,
    ...(options.program !== WORKER ? { inTurn: poolTurns(settings.WEIR_DB_POOL_SIZE) } : {}),
    entities: [Run, ...plan.planned.flatMap(({ plugin }) => plugin.spec.entities ?? [])],
    log,
  });
  try {
    await database.assertSafeRole();
    await checkHead(database.sql, release.migrations, histories);
    await assertEngineTls(enginePlace(settings));
    const platform = assemble(plan, { telemetry, log, database }, options.environment);
    for (const { registration } of platform.plugins) await registration.start?.();
    return platform;
  } catch (error) {
    await database.close();
    await telemetry.stop();
    throw error;
  }
}

/** What is to be booted, before anything is connected to. */
type Plan = Awaited<ReturnType<typeof readPlan>>;

async function readPlan({ platformFile, environment, program, settings: own = [] }: BootOptions) {
  const { platform, order } = planPlatform(platformFile);
  const importFrom = importer(platform);
  const planned = await Promise.all(
    order.map(async (manifest) => ({
      manifest,
      plugin: (await importFrom(manifest.packageName)).default as WeirPlugin,
    })),
  );
  const roles = order.flatMap(({ workers = [] }) => workers.map(({ role }) => role));
  const allSettings = readSettings(
    [
      { owner: 'kernel', schema: kernelSettings, check: (values) => kernelFaults(values, environment) },
      ...planned.flatMap(({ manifest, plugin }) =>
        plugin.spec.settings === undefined ? [] : [{ owner: manifest.id, schema: plugin.spec.settings }],
      ),
      ...roles.map(queueSettings),
      ...own,
    ],
    environment,
    (read) => developmentDefaults(read, program),
  );
  const settings = allSettings.get('kernel') as unknown as KernelSettings;
  armFaultpoints(settings.WEIR_MODE === 'development' ? environment.WEIR_FAULTPOINTS : undefined);
  const declared = problemCatalogue([
    { owner: 'kernel', problems: kernelProblems },
    { owner: 'kernel', problems: runProblems },
    ...planned.map(({ manifest, plugin }) => ({ owner: manifest.id, problems: plugin.spec.problems ?? {} })),
  ]);
  const queues = new Map(roles.map((role) => [role, taskQueue(role, environment)]));
  return { platform, order, importFrom, planned, allSettings, settings, declared, queues };
}

/** Sets the plugins up over the ports that the connections give; starts none of them. */
function assemble(plan: Plan, connected: Connected, environment: Environment): RunningPlatform {
  const { order, planned, settings, declared } = plan;
  const { telemetry, log, database } = connected;
  const { span } = telemetry;
  const { vault, prove, deriveKey } = openVault(settings, environment);
  const workflows = temporalWorkflows({ ...enginePlace(settings), traceparent: telemetry.traceparent });
  const kinds: RunKind[] = [];
  const optIn = new Set(order.flatMap(({ id, tenancy }) => (tenancy === 'opt-in' ? [id] : [])));
  const has = tenantPlugins({ db: database.db, optIn });
  const given = contributions(has.isEnabled);
  const metrics = createMetrics();
  const queueOf = (role: string) => plan.queues.get(role) ?? taskQueue(role, environment);
  const ended: typeof countRun = (run) => countRun(run);
  const runs = createRuns({ db: database.db, workflows, kinds, queueOf, contributions: given, ended, telemetry, log });
  const tenants = tenantStore(database.sql);
  const shared = {
    version: packageJson.version,
    settings,
    database,
    workflows,
    vault,
    metrics,
    contributions: given,
    tenantPlugins: has,
  };
  const services = kernelServices({
    ...shared,
    order,
    queueOf,
    endpoints: () =>
      plugins.flatMap(({ manifest, registration }) =>
        registration.routes.map(({ endpoint }) => ({ ...endpoint, plugin: manifest.id })),
      ),
    problems: () => problems,
  });
  const ports = { mode: settings.WEIR_MODE as Mode, log, db: database.db, runs, tenants, metrics, vault, span };
  const plugins = setupPlugins(planned, { ...ports, contributions: given, services }, plan.allSettings);
  kinds.push(...plugins.flatMap(({ registration }) => registration.runKinds ?? []));
  const reported = plugins.flatMap(({ registration }) => registration.reported ?? []);
  const problems = new Map([...reported.map((entry) => [entry.code, entry] as const), ...declared]);
  const countRun = runMetrics(metrics, kinds);
  return {
    ...shared,
    log,
    telemetry,
    runs,
    tenants,
    deriveKey,
    plugins,
    duties: [
      runs.sweep,
      idempotencySweep(database.db),
      ...plugins.flatMap(({ registration }) => registration.duties ?? []),
    ],
    problems,
    proveVault: () => proveVault(prove, log),
    importDoor: ({ manifest }, door) => plan.importFrom(`${manifest.packageName}${door.slice(1)}`),
    async stop() {
      for (const { registration } of plugins.toReversed()) await registration.stop?.();
      await workflows.close();
      await database.close();
      await telemetry.stop();
    },
  };
}

interface Connected {
  telemetry: Telemetry;
  log: Logger;
  database: Database;
}

/** What no schema can say of the kernel's settings: whether keys and certificates are such. */
function kernelFaults(values: Readonly<Record<string, unknown>>, environment: Environment): string[] {
  return [
    ...openVault(values, environment).faults,
    ...databaseTls(values, String(values.DB_HOST)).faults,
    ...engineTls(values, String(values.WORKFLOW_HOST)).faults,
  ];
}

/** Packages are found from where `platform.json` lies, so that a deployment chooses its own plugins. */
function importer(platform: Platform): (name: string) => Promise<Record<string, unknown>> {
  const require = createRequire(platform.file);
  return (name) => import(pathToFileURL(require.resolve(name)).href);
}
