import { Type } from '@sinclair/typebox';
import { endpoint, kernelProblems, Nullable, paging } from '@weir/kernel/contract';
import { DatasetParams, read, readErrors, SnapshotId } from './datasets.ts';
import { datasetProblems } from './problems.ts';

/** The media type of an Arrow IPC stream. */
export const ARROW_STREAM = 'application/vnd.apache.arrow.stream';
/** The header of an Arrow answer that names the next page; absent on the last. */
export const NEXT_PAGE_HEADER = 'x-next-page-token';
export const DEFAULT_PREVIEW_ROWS = 50;
export const MAX_PREVIEW_ROWS = 500;

/** Characters of one filter, one list of columns, or an order; a name of a column has no bound of its own. */
const MAX_TEXT_LENGTH = 2048;
const MAX_TEXTS = 100;

/** A query parameter that may be repeated. */
const TextList = (description: string) =>
  Type.Union(
    [
      Type.String({ maxLength: MAX_TEXT_LENGTH }),
      Type.Array(Type.String({ maxLength: MAX_TEXT_LENGTH }), { maxItems: MAX_TEXTS }),
    ],
    { description },
  );

const PREVIEW_DESCRIPTION = `A filter is \`column:op:value\` with eq, ne, lt, le, gt, ge, contains, starts_with, or \`column:op\` with is_null, not_null. Values are written as rows show them: numbers in digits, true or false, dates as 2026-01-31, times in ISO 8601 (a timestamptz with Z or an offset). NULL fits is_null alone. An order puts NULL last. A page token belongs to one dataset, snapshot, choice of columns, filters and order.`;

/** A page of rows of a dataset: each row lists its values in the order of `columns`; 64-bit integers and decimals are strings. */
export const DatasetPreview = Type.Object({
  dataset_id: Type.String(),
  snapshot_id: Nullable(SnapshotId),
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  rows: Type.Array(Type.Array(Type.Unknown())),
  has_more: Type.Boolean(),
  next_page_token: Nullable(Type.String({ description: 'For the rows behind these, of the same snapshot' })),
});

export const previewDataset = endpoint({
  id: 'datasets.preview',
  method: 'GET',
  path: '/datasets/:dataset_id/preview',
  summary: 'Read rows of a dataset',
  description: PREVIEW_DESCRIPTION,
  access: read,
  params: DatasetParams,
  query: Type.Object(
    {
      columns: Type.Optional(TextList('Names of the columns to read, joined by commas or repeated; all unless given')),
      filter: Type.Optional(TextList('column:op:value, repeated for more; rows must fit all of them')),
      order: Type.Optional(
        Type.String({
          maxLength: MAX_TEXT_LENGTH,
          description: 'column or -column; in the order of the files unless given',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_PREVIEW_ROWS,
          default: DEFAULT_PREVIEW_ROWS,
          description: 'How many rows at most',
        }),
      ),
      snapshot_id: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,19}$', description: 'Read this snapshot instead of the newest' }),
      ),
      page_token: paging().page_token,
    },
    { additionalProperties: false },
  ),
  response: DatasetPreview,
  errors: [
    ...readErrors,
    datasetProblems.datasetUnreadable,
    datasetProblems.queryTimeout,
    datasetProblems.previewTooLarge,
    datasetProblems.queryTooLarge,
    kernelProblems.invalidPageToken,
    kernelProblems.dependencyUnavailable,
  ],
  produces: [ARROW_STREAM],
  cli: 'datasets preview',
});
