import type { ArtifactContent } from '../contract/artifacts.ts';

export type { ArtifactContent };

/** The engine that this release carries artifacts out with. */
export const RUNTIME = 'duckdb-sql/1';
