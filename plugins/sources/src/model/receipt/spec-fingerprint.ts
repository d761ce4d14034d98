import { canonicalSha256 } from '@weir/kernel';
import type { Pattern } from '../pattern/pattern-file.ts';
import { visibleConfig } from '../source/visible-config.ts';

/** What a fingerprint is made of: rows of `sources.source` and of its enabled streams, members named by their columns. */
export interface SyncSpec {
  source: { pattern_id: string; pattern_version: string; source_config: Record<string, unknown> };
  streams: readonly Record<string, unknown>[];
}

/** The columns of a stream that decide what a sync of it does. */
export const SPEC_COLUMNS = [
  ...([
    'stream_id',
    'name',
    'namespace',
    'json_schema',
    'sync_mode',
    'write_mode',
    'cursor_field',
    'primary_key',
  ] as const),
  ...([
    'source_defined_primary_key',
    'schema_change_policy',
    'partition_by',
    'destination_table',
    'generation',
  ] as const),
] as const;

/**
 * What tells two syncs apart by how they were set, whatever the order of members: the pattern, the configuration without
 * anything that is or may be a credential, and each enabled stream. Pure.
 */
export function specFingerprint({ source, streams }: SyncSpec, pattern: Pattern | undefined): string {
  const { pattern_id, pattern_version, source_config } = source;
  const spec = {
    pattern_id,
    pattern_version,
    source_config: visibleConfig(source_config, pattern),
    streams: streams
      .map((stream) => Object.fromEntries(SPEC_COLUMNS.map((column) => [column, stream[column] ?? null])))
      .sort((a, b) => (String(a.stream_id) < String(b.stream_id) ? -1 : 1)),
  };
  return `sha256:${canonicalSha256(spec)}`;
}
