import type { RewriteRequest, StoreOptions } from '@weir/lakehouse';

/** What the process of a rewrite is asked. The store may hold credentials. */
export interface RewriteQuestion {
  store: StoreOptions;
  /** A local folder of the process alone. */
  scratch: string;
  /** What DuckDB may hold before it spills, such as `384MiB`. */
  memoryLimit: string;
  request: RewriteRequest;
}
