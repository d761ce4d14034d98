import { Type } from '@sinclair/typebox';
import { endpoint, kernelProblems, MAX_PAGE_SIZE, Nullable, paging, permission } from '@weir/kernel/contract';

/** What a sweep does with an entry of the ledger of staged files. */
export const SWEEP_ACTIONS = ['keep', 'mark', 'remove', 'settle'] as const;
/**
 * Why: the run has not ended or is not known; the table cannot be read, is not there or was never named; a mark is too
 * young; a snapshot needs all of the files; no snapshot needs some of them.
 */
export const SWEEP_REASONS = [
  'run_open',
  'table_unreadable',
  'table_missing',
  'table_unnamed',
  'marked',
  'referenced',
  'unreferenced',
] as const;
/** Files of an entry that an answer names. */
export const MAX_SHOWN_FILES = 20;

const literals = <T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)));

/** One entry of the ledger, and what a sweep does with it. */
export const SweptEntry = Type.Object({
  location: Type.String({ description: 'The staged file, or the folder of staged files' }),
  run_id: Type.String(),
  dataset_id: Nullable(Type.String()),
  staged_at: Type.String({ format: 'date-time' }),
  action: literals(SWEEP_ACTIONS),
  reason: literals(SWEEP_REASONS),
  file_count: Type.Integer({ minimum: 0, description: 'Files that no snapshot needs' }),
  files: Type.Array(Type.String(), { description: `The first ${MAX_SHOWN_FILES} of them` }),
  done: Type.Boolean({ description: 'False in a dry run, and where the store did not let it be done' }),
});

export const SweepPage = Type.Object({
  dry_run: Type.Boolean(),
  items: Type.Array(SweptEntry),
  next_page_token: Nullable(Type.String()),
});

export const sweepStagedFiles = endpoint({
  id: 'datasets.sweep',
  method: 'POST',
  path: '/datasets/sweep',
  summary: 'Remove files that were staged for tables and never committed',
  description:
    'Looks at the files that ended runs have staged longer ago than the grace time. Those that no snapshot needs are marked first, and removed by a sweep after a second grace time. The service sweeps every hour by itself.',
  access: permission('datasets:sweep', 'pipeline_editor', { capability: 'dataset:write' }),
  query: Type.Object(
    {
      dry_run: Type.Optional(
        Type.Boolean({ default: false, description: 'Tell what would be done and leave everything as it is' }),
      ),
      ...paging(MAX_PAGE_SIZE),
    },
    { additionalProperties: false },
  ),
  response: SweepPage,
  errors: [kernelProblems.invalidPageToken, kernelProblems.dependencyUnavailable],
  cli: {
    words: 'datasets sweep',
    columns: ['dataset_id', 'run_id', 'staged_at', 'action', 'reason', 'file_count', 'done'],
  },
});
