import type { Materialization } from '../contract/transforms.ts';

/** The engine that this release carries artifacts out with. */
export const RUNTIME = 'duckdb-sql/1';

/** All that a run needs to know of a transform; its canonical JSON is what an artifact id digests. */
export interface ArtifactContent {
  runtime: string;
  sql: string;
  /** A dataset id. */
  output: string;
  materialization: Materialization;
  /** Dataset ids in the order in which the statement names them first. */
  inputs: string[];
  /** Columns of the output, types in the words of the table format. */
  columns: { name: string; type: string }[];
}
