import { Closed, endpoint, Id, kernelProblems } from '@weir/kernel/contract';
import { LOG_LINES, LOG_TEXT, RunLogDownloadQuery, RunLogPage, RunLogQuery } from '@weir/plugin-platform/contract';
import { readSources } from './access.ts';

const RunOfSource = Closed({ source_id: Id, run_id: Id });

/** `GET /sources/{source_id}/runs/{run_id}/logs` */
export const readRunLogs = endpoint({
  id: 'sources.read_run_logs',
  method: 'GET',
  path: '/sources/:source_id/runs/:run_id/logs',
  summary: 'Read, search and follow the log of a run of a source',
  description:
    'Lines are what the platform did and what the connector said, without credentials. To follow a run, ask again with after and wait_seconds until ended is true. A long search answers in parts: a page may be empty and have a next_page_token all the same.',
  access: readSources,
  params: RunOfSource,
  query: RunLogQuery,
  response: RunLogPage,
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken, kernelProblems.dependencyUnavailable],
});

/** `GET /sources/{source_id}/runs/{run_id}/logs/download` */
export const downloadRunLogs = endpoint({
  id: 'sources.download_run_logs',
  method: 'GET',
  path: '/sources/:source_id/runs/:run_id/logs/download',
  summary: 'Download the whole log of a run of a source, as text or a JSON document a line',
  access: readSources,
  params: RunOfSource,
  query: RunLogDownloadQuery,
  produces: [LOG_TEXT, LOG_LINES],
  errors: [kernelProblems.notFound],
});
