import type { ArtifactContent } from '../contract/artifacts.ts';

export type { ArtifactContent };

/** The engines that this release carries artifacts out with. */
export const RUNTIMES: readonly string[] = ['duckdb-sql/1', 'duckdb-sql/2'];

/** The oldest engine that carries a definition out: the second one knows keys, partitions and increments. */
export function runtimeOf({ materialization, incremental }: Pick<ArtifactContent, 'materialization' | 'incremental'>) {
  const isOld = (materialization === 'full' || materialization === 'append') && incremental === undefined;
  return isOld ? 'duckdb-sql/1' : 'duckdb-sql/2';
}
