import {
  deleteSource,
  discoverPatterns,
  getDiscoveryStatus,
  getPattern,
  getSource,
  listSources,
  listStreams,
  listSyncHistory,
} from '@weir/plugin-sources/contract';
import { endpointCommand } from '../endpoint/endpoint-command.ts';
import { sourceId } from '../source-id.ts';

const resolve = { source_id: sourceId };

export const SourcesList = endpointCommand(listSources, {
  columns: ['source_id', 'name', 'pattern_id', 'status', 'streams_enabled', 'streams', 'updated_at'],
});
export const SourcesGet = endpointCommand(getSource, { resolve });
export const SourcesDelete = endpointCommand(deleteSource, { resolve });
export const SourcesHistory = endpointCommand(listSyncHistory, {
  resolve,
  columns: ['run_id', 'status', 'verdict', 'rows_read', 'rows_written', 'rows_with_errors', 'started_at', 'ended_at'],
});
export const SourcesStreamsList = endpointCommand(listStreams, {
  resolve,
  columns: [
    'stream_id',
    'namespace',
    'name',
    'enabled',
    'sync_mode',
    'write_mode',
    'cursor_field',
    'destination.dataset_id',
  ],
});
export const SourcesDiscoveryGet = endpointCommand(getDiscoveryStatus);
export const PatternsList = endpointCommand(discoverPatterns, {
  columns: ['pattern_id', 'version', 'name', 'needs_credentials'],
});
export const PatternsGet = endpointCommand(getPattern);
