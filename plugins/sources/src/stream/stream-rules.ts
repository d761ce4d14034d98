import type { FieldFault } from '@weir/kernel/contract';
import { type SyncMode, sourceProblems, type WriteMode } from '../contract.ts';

/** What decides whether a stream can be synced. */
export interface StreamSettings {
  enabled: boolean;
  syncMode: SyncMode;
  writeMode: WriteMode;
  cursorField: string[] | undefined;
  primaryKey: string[][] | undefined;
  supportedSyncModes: readonly SyncMode[];
  sourceDefinedCursor: boolean;
  defaultCursorField: string[] | undefined;
  jsonSchema: Readonly<Record<string, unknown>>;
}

const AVAILABLE_WRITE_MODES: readonly WriteMode[] = ['append', 'overwrite'];

/**
 * The rules of one stream over its settings. Throws `write_mode_unavailable` for a mode that this version lacks and
 * `stream_not_syncable` with every broken rule. A disabled stream may still lack its cursor.
 */
export function checkStream(stream: StreamSettings): void {
  if (!AVAILABLE_WRITE_MODES.includes(stream.writeMode)) {
    throw sourceProblems.writeModeUnavailable({ values: { write_mode: stream.writeMode } });
  }
  const errors = [...faultsOf(stream)];
  if (errors.length > 0) throw sourceProblems.streamNotSyncable({ errors });
}

function* faultsOf(stream: StreamSettings): Iterable<FieldFault> {
  const incremental = stream.syncMode === 'incremental';
  if (!stream.supportedSyncModes.includes(stream.syncMode)) yield { pointer: '/sync_mode', code: 'not_supported' };
  if (incremental && stream.writeMode === 'overwrite') yield { pointer: '/write_mode', code: 'not_with_incremental' };
  if (stream.cursorField !== undefined && !hasField(stream.jsonSchema, stream.cursorField)) {
    yield { pointer: '/cursor_field', code: 'unknown_field' };
  }
  for (const [index, path] of (stream.primaryKey ?? []).entries()) {
    if (!hasField(stream.jsonSchema, path)) yield { pointer: `/primary_key/${index}`, code: 'unknown_field' };
  }
  if (stream.enabled && incremental && !stream.sourceDefinedCursor) {
    const cursor = stream.cursorField ?? stream.defaultCursorField;
    if (cursor === undefined) yield { pointer: '/cursor_field', code: 'required' };
  }
}

/** Whether a JSON schema declares the field that a path names; below an open object everything may exist. */
function hasField(schema: Readonly<Record<string, unknown>>, path: readonly string[]): boolean {
  let node: Readonly<Record<string, unknown>> = schema;
  for (const name of path) {
    const { properties } = node as { properties?: Record<string, Record<string, unknown>> };
    if (properties === undefined) return node !== schema;
    if (!Object.hasOwn(properties, name)) return false;
    node = properties[name] ?? {};
  }
  return true;
}
