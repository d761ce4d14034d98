import type { ContributionPoint } from '../contract/contribution.ts';

/** A value for a contribution point; made by `contribute`. */
export interface Contributed {
  id: string;
  value: unknown;
}

/** Binds a contribution point to a value for it; a mismatch of types is a compile error. */
export function contribute<T>(point: ContributionPoint<T>, value: T): Contributed {
  return { id: point.id, value };
}

/** What all plugins have given, in boot order. Filled while plugins are set up, read when a request comes. */
export interface Contributions {
  add(given: readonly Contributed[]): void;
  of<T>(point: ContributionPoint<T>): readonly T[];
}

/** An empty set of contributions. */
export function contributions(): Contributions {
  const byPoint = new Map<string, unknown[]>();
  return {
    add(given) {
      for (const { id, value } of given) byPoint.set(id, [...(byPoint.get(id) ?? []), value]);
    },
    of: <T>(point: ContributionPoint<T>) => (byPoint.get(point.id) ?? []) as T[],
  };
}
