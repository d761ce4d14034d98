import {
  deleteSource,
  discoverPatterns,
  getDiscoveryStatus,
  getPattern,
  getSource,
  getSyncRun,
  listSources,
  listStreams,
  listSyncRunStreams,
  listTableFormatRefs,
} from '@weir/plugin-sources/contract';
import { endpointCommand } from '../../command/endpoint-command.ts';
import { sourceId } from '../../command/source-id.ts';

const resolve = { source_id: sourceId };

export const SourcesList = endpointCommand(listSources, {
  columns: ['source_id', 'name', 'pattern_id', 'status', 'streams_enabled', 'streams', 'updated_at'],
});
export const SourcesGet = endpointCommand(getSource, { resolve });
export const SourcesDelete = endpointCommand(deleteSource, { resolve });
export const SourcesRunsGet = endpointCommand(getSyncRun);
export const SourcesRunsStreams = endpointCommand(listSyncRunStreams, {
  columns: [
    'dataset_id',
    'status',
    'rows_read',
    'rows_written',
    'rows_with_errors',
    'rows_rejected',
    'rows_deduplicated',
    'commits',
    'snapshot_id',
  ],
});
export const SourcesRefs = endpointCommand(listTableFormatRefs, {
  resolve,
  columns: ['name', 'namespace', 'dataset_id', 'snapshot_id', 'readable'],
});
export const SourcesStreamsList = endpointCommand(listStreams, {
  resolve,
  columns: [
    'stream_id',
    'namespace',
    'name',
    'enabled',
    'needs_attention',
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
