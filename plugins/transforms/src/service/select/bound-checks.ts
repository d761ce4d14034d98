import type { HealthCheck } from '@weir/kernel/contract';
import { provenBounds, type SystemBound } from '@weir/processes';

const PARTS: Readonly<Record<string, SystemBound>> = {
  sql_without_network: 'network',
  sql_own_files_only: 'files',
  sql_starts_no_process: 'processes',
};

/** A part for each bound of the system behind statements of users; without one they run, and DuckDB's own settings bound them. */
export function boundChecks(): HealthCheck[] {
  return Object.entries(PARTS).map(([name, bound]) => ({
    name,
    degrades: true,
    check: async () => (await provenBounds())[bound],
  }));
}
