import type { Metrics } from '@weir/metrics';
import type { Vault } from '@weir/vault';
import type { Logger } from 'pino';
import type { Tenant } from '../contract/caller.ts';
import type { ContributionPoint } from '../contract/contribution.ts';
import type { ServiceToken } from '../contract/service.ts';
import type { AskReadiness } from '../contributions/readiness.ts';
import type { TenantDb } from '../persistence/tenant-db.ts';
import type { Runs } from '../runs/runs.ts';
import type { TenantPlace } from '../tenancy/tenant-plugins.ts';
import type { Tenants } from '../tenancy/tenants.ts';

export type Mode = 'development' | 'staging' | 'production';

/** What a plugin gets: ports, never the database, the ORM or another plugin. */
export interface Kernel<Settings = Record<string, unknown>> {
  readonly mode: Mode;
  /** The values of the plugin's own settings schema, read once, frozen. */
  readonly settings: Settings;
  readonly log: Logger;
  /** Rows of one tenant; nothing else is reachable from what it returns. */
  db(tenant: Tenant): TenantDb;
  readonly runs: Runs;
  readonly tenants: Tenants;
  /** Keeps the values of credentials. */
  readonly vault: Vault;
  /** Registers figures, and carries out work as spans; neither may tell tenants apart. */
  readonly metrics: Pick<Metrics, 'counter' | 'histogram' | 'gauge'>;
  readonly span: import('@weir/telemetry').Telemetry['span'];
  /** Asks every contributed check of a subject, such as `source`. */
  readonly readiness: AskReadiness;
  /** What all plugins have given for a point; complete once a request comes, so never asked during `setup`. */
  contributions<T>(point: ContributionPoint<T>): readonly T[];
  /** Those of them that serve the tenant: an opt-in plugin that it does not have gives it nothing. */
  contributionsFor<T>(at: TenantPlace, point: ContributionPoint<T>): Promise<readonly T[]>;
  /** A service of another plugin; throws unless the manifest requires it. Only during `setup`. */
  use<T>(token: ServiceToken<T>): T;
}
