import type { Metrics } from '@weir/metrics';
import { keptAnswer } from '@weir/turns';
import type { Vault } from '@weir/vault';
import type { KernelSettings } from '../config/kernel-settings.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type HealthCheck, HealthChecks } from '../contract/points.ts';
import type { ProblemEntry } from '../contract/problem.ts';
import { type ServiceToken, service } from '../contract/service.ts';
import type { Contributions } from '../contributions/contributions.ts';
import type { Database } from '../persistence/open-database.ts';
import type { PlatformSql } from '../persistence/run-sql.ts';
import { type Provided, provide } from '../plugins/define-plugin.ts';
import type { Manifest } from '../plugins/manifest.ts';
import type { TenantPlugins } from '../tenancy/tenant-plugins.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { KERNEL_ENDPOINTS } from './kernel-endpoints.ts';

/** A route with its owner: a plugin, or `kernel`. */
interface OwnedEndpoint extends Endpoint {
  plugin: string;
}

/** What the plugin that shows and switches the platform as a whole needs of the kernel. */
export interface PlatformService {
  readonly version: string;
  readonly release: { sha: string; imageDigest: string };
  readonly startedAt: Date;
  /** Where people of this API sign in: the issuer, its public client, and the claim that lists organizations. */
  readonly signIn: { issuer: string; clientId: string; organizationClaim: string };
  readonly metrics: Pick<Metrics, 'counted' | 'gauges'>;
  readonly tenantPlugins: Pick<TenantPlugins, 'states' | 'set'>;
  /** Tables that hold no tenant's rows; tenant tables show nothing here. */
  readonly sql: PlatformSql;
  /** In boot order. */
  manifests(): readonly Manifest[];
  endpoints(): readonly OwnedEndpoint[];
  /** Every error code of the platform. */
  problems(): ReadonlyMap<string, ProblemEntry>;
  /** The kernel's own parts and those that plugins contribute. */
  healthChecks(): readonly HealthCheck[];
}

/** What the plugin that shows the workflow engine needs of the kernel. */
export interface WorkflowEngineService extends Omit<Workflows, 'start' | 'close'> {
  readonly address: { host: string; port: number; namespace: string };
  /** The queues that this deployment's plugins take work from. */
  queues(): readonly { role: string; queue: string; plugin: string }[];
}

/** Services of the kernel itself, for the manifests that require them. */
export const Platform: ServiceToken<PlatformService> = service('kernel.platform@1');
export const WorkflowEngine: ServiceToken<WorkflowEngineService> = service('kernel.workflow-engine@1');
export const KERNEL_SERVICES: readonly string[] = [Platform.id, WorkflowEngine.id];

export interface KernelServiceDeps {
  version: string;
  settings: KernelSettings;
  order: readonly Manifest[];
  queueOf(role: string): string;
  database: Pick<Database, 'sql' | 'ping'>;
  workflows: Workflows;
  vault: Vault;
  metrics: Metrics;
  contributions: Contributions;
  tenantPlugins: TenantPlugins;
  /** Those of plugins. Asked when a request comes, after all plugins are set up; so are the problems. */
  endpoints(): readonly OwnedEndpoint[];
  problems(): ReadonlyMap<string, ProblemEntry>;
}

/** However many ask, a part is asked no more often than this: callers without a token cause no work by number. */
const KEPT_MS = 1_000;
/** One answer for all who ask. */
const kept = new WeakMap<Contributions, HealthCheck[]>();

/** The kernel's own parts, and those that plugins contribute. */
export function healthChecks(
  deps: Pick<KernelServiceDeps, 'database' | 'workflows' | 'contributions' | 'vault'>,
): HealthCheck[] {
  const { store } = deps.vault;
  const known = kept.get(deps.contributions);
  if (known !== undefined) return known;
  const checks: HealthCheck[] = [
    { name: 'database', check: () => deps.database.ping() },
    { name: 'workflow_engine', check: () => deps.workflows.health() },
    ...(store === undefined ? [] : [{ name: 'secret_store', degrades: true as const, check: () => store.ping() }]),
    ...deps.contributions.of(HealthChecks),
  ];
  const made = checks.map(({ check, ...part }) => ({
    ...part,
    check: keptAnswer(() => check().catch(() => false), KEPT_MS),
  }));
  kept.set(deps.contributions, made);
  return made;
}

/** Binds the kernel's own services, for the plugins whose manifests require them. */
export function kernelServices(deps: KernelServiceDeps): Provided[] {
  const { settings, order, queueOf, workflows } = deps;
  const platform: PlatformService = {
    version: deps.version,
    release: { sha: settings.WEIR_RELEASE_SHA, imageDigest: settings.WEIR_IMAGE_DIGEST },
    startedAt: new Date(),
    signIn: {
      issuer: settings.IDP_ISSUER,
      clientId: settings.IDP_CLIENT_ID,
      organizationClaim: settings.WEIR_IDP_ORG_CLAIM,
    },
    metrics: deps.metrics,
    tenantPlugins: deps.tenantPlugins,
    sql: deps.database.sql,
    manifests: () => order,
    endpoints: () => [...deps.endpoints(), ...KERNEL_ENDPOINTS.map((own) => ({ ...own, plugin: 'kernel' }))],
    problems: deps.problems,
    healthChecks: () => healthChecks(deps),
  };
  const engine: WorkflowEngineService = {
    ...workflows,
    address: { host: settings.WORKFLOW_HOST, port: settings.WORKFLOW_PORT, namespace: settings.WORKFLOW_NAMESPACE },
    queues: () =>
      order.flatMap(({ id, workers = [] }) => workers.map(({ role }) => ({ role, queue: queueOf(role), plugin: id }))),
  };
  return [provide(Platform, platform), provide(WorkflowEngine, engine)];
}
