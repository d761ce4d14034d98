import { Closed, endpoint, idOf, kernelProblems } from '@weir/kernel/contract';
import { LOG_LINES, LOG_TEXT, RunLogDownloadQuery, RunLogPage, RunLogQuery } from '@weir/plugin-platform/contract';
import { readSources } from '../access.ts';
import { discoveryParams } from './discovery.ts';

const ofRun = { access: readSources, params: Closed({ source_id: idOf('source'), run_id: idOf('run') }) };
const ofDiscovery = { access: readSources, params: discoveryParams };
const asPage = {
  query: RunLogQuery,
  response: RunLogPage,
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken, kernelProblems.dependencyUnavailable],
};
const asDownload = {
  query: RunLogDownloadQuery,
  produces: [LOG_TEXT, LOG_LINES],
  errors: [kernelProblems.notFound],
};

/** `GET /sources/{source_id}/runs/{run_id}/logs` */
export const readRunLogs = endpoint({
  id: 'sources.read_run_logs',
  method: 'GET',
  path: '/sources/:source_id/runs/:run_id/logs',
  summary: 'Read, search and follow the log of a run of a source',
  description:
    'Any run of the source: syncs, discoveries, verifications, replays of lines in quarantine. Lines are what the platform did and what the connector said, without credentials. To follow a run, ask again with after and wait_seconds until ended is true. A long search answers in parts: a page may be empty and have a next_page_token all the same.',
  ...ofRun,
  ...asPage,
});

/** `GET /sources/{source_id}/runs/{run_id}/logs/download` */
export const downloadRunLogs = endpoint({
  id: 'sources.download_run_logs',
  method: 'GET',
  path: '/sources/:source_id/runs/:run_id/logs/download',
  summary: 'Download the whole log of a run of a source, as text or a JSON document a line',
  ...ofRun,
  ...asDownload,
});

/** `GET /sources/discover/status/{workflow_id}/logs` (ours): what is no source yet has a log too. */
export const readDiscoveryLogs = endpoint({
  id: 'sources.read_discovery_logs',
  method: 'GET',
  path: '/sources/discover/status/:workflow_id/logs',
  summary: 'Read, search and follow the log of a discovery, before its source exists too',
  description: 'As the log of a run of a source.',
  ...ofDiscovery,
  ...asPage,
});

/** `GET /sources/discover/status/{workflow_id}/logs/download` (ours) */
export const downloadDiscoveryLogs = endpoint({
  id: 'sources.download_discovery_logs',
  method: 'GET',
  path: '/sources/discover/status/:workflow_id/logs/download',
  summary: 'Download the whole log of a discovery, as text or a JSON document a line',
  ...ofDiscovery,
  ...asDownload,
});
