import { Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, Nullable } from '@weir/kernel/contract';
import { ARROW_STREAM, datasetProblems } from '@weir/plugin-datasets/contract';
import { runQueries } from './access.ts';
import { transformProblems } from './problems.ts';
import { Sql } from './transforms.ts';

export const DEFAULT_QUERY_ROWS = 1_000;
export const MAX_QUERY_ROWS = 10_000;
/** The header of an Arrow answer that says whether the statement has more rows. */
export const TRUNCATED_HEADER = 'x-truncated';

/** Rows of a statement: each lists its values in the order of `columns`; 64-bit integers and decimals are strings. */
export const QueryResult = Type.Object({
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  rows: Type.Array(Type.Array(Type.Unknown())),
  truncated: Type.Boolean({ description: 'Whether the statement has more rows' }),
  inputs: Type.Array(Type.Object({ dataset_id: Type.String(), snapshot_id: Nullable(Type.String()) }), {
    description: 'The datasets that were read, all as they were at one moment',
  }),
  elapsed_ms: Type.Integer({ minimum: 0 }),
});

const Query = Closed({
  sql: Sql,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_QUERY_ROWS, default: DEFAULT_QUERY_ROWS, description: 'Rows at most' }),
  ),
});

const errors = [
  datasetProblems.datasetNotReadable,
  datasetProblems.invalidDatasetId,
  datasetProblems.datasetUnreadable,
  datasetProblems.storageFull,
  datasetProblems.storeDenied,
  datasetProblems.storeUnavailable,
  transformProblems.inputMissing,
  kernelProblems.conflict,
  kernelProblems.dependencyUnavailable,
  transformProblems.sqlRefused,
  transformProblems.sqlBoundMet,
  transformProblems.sqlStopped,
];

const DESCRIPTION =
  'One SELECT that reads and changes nothing, over the datasets that the tenant may read, at one consistent moment. Rows and time are bounded.';

/** `POST /query` */
export const runQuery = endpoint({
  id: 'transforms.run_query',
  method: 'POST',
  path: '/query',
  summary: 'Query the datasets of the tenant with SQL',
  description: DESCRIPTION,
  access: runQueries,
  body: Query,
  example: { sql: 'select * from bronze.demo.shop__orders', limit: 100 },
  response: QueryResult,
  errors,
  produces: [ARROW_STREAM],
  cli: 'sql',
});

/** `POST /transforms/preview` */
export const previewTransform = endpoint({
  id: 'transforms.preview_transform',
  method: 'POST',
  path: '/transforms/preview',
  summary: 'Show the first rows of a statement that is not saved yet',
  description: DESCRIPTION,
  access: runQueries,
  body: Query,
  example: {
    sql: 'select ordered_at::date as day, count(*) as orders from bronze.demo.shop__orders group by 1',
    limit: 20,
  },
  response: QueryResult,
  errors,
  cli: { words: 'transforms preview' },
});
