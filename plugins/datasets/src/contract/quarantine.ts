import { Type } from '@sinclair/typebox';
import { endpoint, kernelProblems, Nullable, paging } from '@weir/kernel/contract';
import { DatasetParams, read, readErrors, SnapshotId } from './datasets.ts';
import { datasetProblems } from './problems.ts';

/** Bytes of a rejected line that a list shows, from its beginning. */
export const MAX_SHOWN_LINE_BYTES = 4_096;
/** Reasons that a list counts, the most frequent first. */
export const MAX_COUNTED_REASONS = 100;
const MAX_REASON = 64;

/** A line that was no row. */
export const RejectedLine = Type.Object({
  run_id: Type.String(),
  stream: Type.String(),
  reason: Type.String(),
  position: Nullable(
    Type.String({ pattern: '^[0-9]+$', description: 'Index of the line among those that the run read, from 0' }),
  ),
  line: Nullable(Type.String({ description: 'The line as text; null when it is not UTF-8' })),
  line_base64: Type.String({ description: 'Its bytes' }),
  source: Nullable(
    Type.Object({
      file: Type.String(),
      line: Type.String({ pattern: '^[0-9]+$', description: 'Number of the line in the file, from 1' }),
      byte: Nullable(
        Type.String({ pattern: '^[0-9]+$', description: 'Where it begins in the content of a file in UTF-8, from 0' }),
      ),
      bytes: Nullable(Type.String({ pattern: '^[0-9]+$', description: 'How many bytes it has' })),
    }),
  ),
  truncated: Type.Boolean({ description: `Only its first ${MAX_SHOWN_LINE_BYTES} bytes are shown` }),
});

/** A page of the rejected lines of a dataset, with the counts of all that fit the filters. */
export const QuarantinePage = Type.Object({
  dataset_id: Type.String(),
  quarantine_dataset_id: Nullable(Type.String({ description: 'Null when no line was ever rejected' })),
  snapshot_id: Nullable(SnapshotId),
  reasons: Type.Array(Type.Object({ reason: Type.String(), lines: Type.Integer({ minimum: 0 }) })),
  items: Type.Array(RejectedLine),
  next_page_token: Nullable(Type.String()),
  total: Nullable(Type.Integer()),
});

export const listQuarantine = endpoint({
  id: 'datasets.list_quarantine',
  method: 'GET',
  path: '/datasets/:dataset_id/quarantine',
  summary: 'List the lines that were rejected on their way into a dataset',
  description:
    'A rejected line is kept byte for byte in the quarantine table of the dataset, which is a dataset too. POST /sources/quarantine-replays tries lines again.',
  access: read,
  params: DatasetParams,
  query: Type.Object(
    {
      run_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only lines of this run' })),
      reason: Type.Optional(
        Type.String({ minLength: 1, maxLength: MAX_REASON, description: 'Only lines of this reason' }),
      ),
      ...paging(),
    },
    { additionalProperties: false },
  ),
  response: QuarantinePage,
  errors: [
    ...readErrors,
    datasetProblems.datasetUnreadable,
    datasetProblems.queryTimeout,
    datasetProblems.previewTooLarge,
    kernelProblems.invalidPageToken,
    kernelProblems.dependencyUnavailable,
  ],
  cli: 'datasets quarantine list',
});
