import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, Id, Nullable, OneOf, permission, RUN_STATUSES, Timestamp } from '@weir/kernel/contract';
import { DATASET_LAYERS, NumericSnapshotId, readErrors, SnapshotId } from '@weir/plugin-datasets/contract';
import { LineageColumn } from './columns.ts';
import { JOB_KINDS } from './giver.ts';

/** Who may see what comes from what. */
const readLineage = (options = {}) => permission('lineage:read', 'viewer', options);

/** Nodes of an answer at most. */
export const MAX_NODES = 500;
export const MAX_DEPTH = 10;
const DEFAULT_DEPTH = 3;
const MAX_CHANGES = 100;

/** What a node of the graph is. */
export const NODE_KINDS = ['table', 'source', 'entity_type'] as const;
/**
 * Whether a table shows what its inputs have: `behind` where rows of an input have changed since, or another definition is in
 * force; `not_made` before the first run; null where it is not known, as of tables that a source writes.
 */
export const NODE_STATES = ['current', 'behind', 'not_made'] as const;
export const DIRECTIONS = ['upstream', 'downstream', 'both'] as const;

const DatasetId = Type.String({ minLength: 1, maxLength: 300, description: '<layer>.<scope>.<table>' });

const Job = Type.Object({ kind: OneOf(JOB_KINDS), id: Id, name: Type.String() });
export type JobView = Static<typeof Job>;

/** A table, or what tables are loaded from or fill. */
export const LineageNode = Type.Object({
  node_id: Type.String({ description: 'The dataset id, `source:<id>` or `entity_type:<code>`' }),
  kind: OneOf(NODE_KINDS),
  name: Type.String({ description: 'Of a table the last segment of its id' }),
  dataset_id: Nullable(Type.String()),
  layer: Nullable(OneOf(DATASET_LAYERS)),
  readable: Type.Boolean({ description: 'False: the tenant may not read the table, and nothing but its id is shown' }),
  made_by: Nullable(Job),
  state: Nullable(OneOf(NODE_STATES)),
  total_records: Nullable(Type.String({ description: 'Rows of the current snapshot, in decimal digits' })),
  committed_at: Nullable(Timestamp),
  snapshot_id: NumericSnapshotId({ nullable: true }),
  snapshot_id_exact: Nullable(SnapshotId),
  last_run: Nullable(
    Type.Object(
      { run_id: Id, status: OneOf(RUN_STATUSES), ended_at: Nullable(Timestamp) },
      {
        description: 'The newest run of what makes it',
      },
    ),
  ),
});
export type LineageNodeView = Static<typeof LineageNode>;

/** That one node is made from another. */
export const LineageEdge = Type.Object({
  from: Type.String({ description: 'The id of a node' }),
  to: Type.String({ description: 'The id of a node' }),
  job: Job,
  run_id: Nullable(Type.String({ description: 'The last run that succeeded' })),
  from_snapshot_id: NumericSnapshotId({ nullable: true }),
  from_snapshot_id_exact: Nullable(SnapshotId),
  to_snapshot_id: NumericSnapshotId({ nullable: true }),
  to_snapshot_id_exact: Nullable(SnapshotId),
  moved: Nullable(
    Type.Boolean({ description: 'Rows of `from` have changed since that run; null where it is not known' }),
  ),
  columns: Nullable(
    Type.Array(LineageColumn, { description: 'The columns of `to` that use some of `from`; null unless asked for' }),
  ),
});
export type LineageEdgeView = Static<typeof LineageEdge>;

export const Lineage = Type.Object({
  root: Nullable(Type.String({ description: 'The node that was asked about' })),
  nodes: Type.Array(LineageNode, { maxItems: MAX_NODES, description: 'The nearest to the root first' }),
  edges: Type.Array(LineageEdge),
  truncated: Type.Boolean({ description: `There are more than ${MAX_NODES} nodes; the farthest are left out` }),
});
export type LineageView = Static<typeof Lineage>;

/** `GET /lineage` (ours) */
export const getLineage = endpoint({
  id: 'lineage.get_lineage',
  method: 'GET',
  path: '/lineage',
  summary: 'Show what a table comes from and what is made of it, or the graph of all tables',
  description:
    'Computed from what is in force and from the last runs, never stored. Tables that the tenant may not read are nodes without facts.',
  access: readLineage(),
  query: Closed({
    dataset_id: Type.Optional({
      ...DatasetId,
      description: 'The graph around this table; all tables where it is absent',
    }),
    direction: Type.Optional(OneOf(DIRECTIONS, { default: 'both', description: 'Which way from the table' })),
    depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_DEPTH, default: DEFAULT_DEPTH, description: 'Steps from the table' }),
    ),
    columns: Type.Optional(Type.Boolean({ default: false, description: 'With the columns of each edge' })),
    column: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Only what this column of the table follows from or decides, with the columns of each edge',
      }),
    ),
  }),
  response: Lineage,
  errors: readErrors,
  cli: 'lineage',
});

/** A change of a column of a table. */
const ColumnChange = Closed({
  column: Type.String({ minLength: 1, maxLength: 255 }),
  change: OneOf(['drop', 'rename', 'type'] as const),
});

/** How a column of a table that comes after depends on a changed one. */
const Reached = Type.Object({
  column: Type.String(),
  how: OneOf(['value', 'rows'] as const, {
    description: 'value: computed from it; rows: it decides which rows there are',
  }),
  of: Type.Array(Type.String(), { description: 'The changed columns' }),
  complete: Type.Boolean({ description: 'False: more may be involved on the way' }),
});

/** What of one table a change reaches. */
export const ReachedTable = Type.Object({
  dataset_id: Type.String(),
  job: Job,
  steps: Type.Integer({ minimum: 1, description: 'How many jobs lie between; 1: this one reads the changed table' }),
  breaks: Type.Boolean({ description: 'The statement names a column that would not be there any more' }),
  columns: Type.Array(Reached),
});
export type ReachedTableView = Static<typeof ReachedTable>;

export const Impact = Type.Object({
  dataset_id: Type.String(),
  breaks: Type.Integer({ minimum: 0, description: 'How many jobs would fail' }),
  reaches: Type.Array(ReachedTable, { maxItems: MAX_NODES, description: 'The nearest first' }),
  fills: Type.Array(Job, { description: 'Backing datasets that read the table or one that is reached' }),
  truncated: Type.Boolean(),
});
export type ImpactView = Static<typeof Impact>;

/** `POST /lineage/impact` (ours) */
export const readImpact = endpoint({
  id: 'lineage.read_impact',
  method: 'POST',
  path: '/lineage/impact',
  summary: 'Say what a change of columns of a table would break and reach',
  description: 'Nothing is changed. What is in force is asked, column by column, over every step.',
  access: readLineage({ reads: true }),
  body: Closed({
    dataset_id: DatasetId,
    changes: Type.Array(ColumnChange, { minItems: 1, maxItems: MAX_CHANGES }),
  }),
  example: { dataset_id: 'bronze.acme.shop__orders', changes: [{ column: 'price', change: 'drop' }] },
  response: Impact,
  errors: readErrors,
  cli: 'lineage impact',
});
