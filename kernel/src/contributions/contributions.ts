import type { ContributionPoint } from '../contract/contribution.ts';
import type { TenantPlace } from '../tenancy/tenant-plugins.ts';

/** A value for a contribution point; made by `contribute`. */
export type Contributed = { id: string; value: unknown; always: boolean };

/** Binds a point to a value of its type. `always`: also for tenants that lack the plugin, and keep its rows. */
export function contribute<T>(point: ContributionPoint<T>, value: T, { always = false } = {}): Contributed {
  return { id: point.id, value, always };
}

/** What all plugins have given, in boot order. Filled while plugins are set up, read when a request comes. */
export interface Contributions {
  add(given: readonly Contributed[], plugin?: string): void;
  of<T>(point: ContributionPoint<T>): readonly T[];
  /** What serves a tenant: of opt-in plugins only those that it has. Without a tenant, of none of them. */
  forTenant<T>(at: TenantPlace | undefined, point: ContributionPoint<T>): Promise<readonly T[]>;
}

/** An empty set of contributions. */
export function contributions(
  has: (at: TenantPlace | undefined, plugin: string) => Promise<boolean> = async () => true,
): Contributions {
  const byPoint = new Map<string, (Contributed & { plugin: string })[]>();
  return {
    add(given, plugin = '') {
      for (const one of given) byPoint.set(one.id, [...(byPoint.get(one.id) ?? []), { ...one, plugin }]);
    },
    of: <T>(point: ContributionPoint<T>) => (byPoint.get(point.id) ?? []).map(({ value }) => value as T),
    async forTenant<T>(at: TenantPlace | undefined, point: ContributionPoint<T>) {
      const serving: T[] = [];
      for (const { value, plugin, always } of byPoint.get(point.id) ?? [])
        if (always || (await has(at, plugin))) serving.push(value as T);
      return serving;
    },
  };
}
