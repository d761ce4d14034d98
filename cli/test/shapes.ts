/** Ids that the tests share. */
export const IDS = {
  source: '01890000-0000-7000-8000-000000000001',
  other: '01890000-0000-7000-8000-000000000002',
  runId: '01890000-0000-7000-8000-00000000000a',
};

const NOW = '2026-01-02T03:04:05Z';

/** A source as the API shows it. */
export const sources = (id: string, name: string) => ({
  source_id: id,
  name,
  pattern_id: 'files',
  pattern_version: '1.0.0',
  source_config: { path: '/data' },
  status: 'ready',
  streams: 1,
  streams_enabled: 1,
  last_run: null,
  created_at: NOW,
  updated_at: NOW,
  etag: '"1"',
});

const counters = {
  rows_read: 10,
  rows_written: 10,
  rows_with_errors: 0,
  rows_with_extra: 0,
  rows_rejected: 0,
  rows_deduplicated: 0,
  bytes_read: 100,
  files_read: 0,
  files_unchanged: 0,
  files_left_out: 0,
  files_gone: 0,
  rows_left_out: 0,
};

/** A sync run of one stream as the API shows it. */
export const run = (id: string, status: string) => ({
  run_id: IDS.runId,
  workflow_id: 'w',
  source_id: id,
  status,
  is_terminal: status !== 'running' && status !== 'pending',
  verdict: 'clean',
  phase: 'reading',
  attempt: 1,
  ...counters,
  requested_by: 'ada',
  created_at: NOW,
  started_at: NOW,
  ended_at: null,
  failure:
    status === 'failed'
      ? {
          code: 'csv_row_too_wide',
          origin: 'source',
          retryable: false,
          detail: 'A row has too many fields.',
          hint: null,
        }
      : null,
  image: { reference: 'files:1', digest: 'sha256:0a', id: 'sha256:0b', architecture: 'amd64' },
  streams: [
    {
      stream_id: IDS.other,
      name: 'orders',
      namespace: null,
      dataset_id: 'bronze.demo.shop__orders',
      status,
      ...counters,
      left_out: [] as object[],
      schema_changes: [] as object[],
      snapshot_id: '9007199254740993',
      commits: 1,
      failure: null,
    },
  ],
});

/** Terminal statuses and the exit codes that they mean. */
export const runs: [string, number][] = [
  ['succeeded', 0],
  ['skipped', 0],
  ['failed', 1],
  ['cancelled', 8],
];
