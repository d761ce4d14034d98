import type { FieldFault } from '@weir/kernel/contract';
import { isReserved } from '@weir/plugin-datasets/contract';
import { type PartitionByView, type SyncMode, sourceProblems, type WriteMode } from '../../contract.ts';
import { fieldKind } from './field-kind.ts';
import { partitionFaults } from './partition-rules.ts';

/** What decides whether a stream can be synced. */
export interface StreamSettings {
  enabled: boolean;
  syncMode: SyncMode;
  writeMode: WriteMode;
  cursorField: string[] | undefined;
  primaryKey: string[][] | undefined;
  partitionBy: PartitionByView | undefined;
  supportedSyncModes: readonly SyncMode[];
  sourceDefinedCursor: boolean;
  defaultCursorField: string[] | undefined;
  sourceDefinedPrimaryKey: string[][] | undefined;
  jsonSchema: Readonly<Record<string, unknown>>;
}

/** Write modes that find the row to change by its key. */
const KEYED_WRITE_MODES: readonly WriteMode[] = ['merge', 'soft_delete'];

/** Every rule that the settings of a stream break. A disabled stream may still lack its cursor or its key. Pure. */
export function faultsOf(stream: StreamSettings): FieldFault[] {
  const { enabled, syncMode, writeMode, cursorField, primaryKey = [], jsonSchema } = stream;
  const faults: FieldFault[] = [];
  const incremental = syncMode === 'incremental';
  if (!stream.supportedSyncModes.includes(syncMode)) faults.push({ pointer: '/sync_mode', code: 'not_supported' });
  if (incremental && writeMode === 'overwrite') faults.push({ pointer: '/write_mode', code: 'not_with_incremental' });
  if (cursorField !== undefined && !hasField(jsonSchema, cursorField)) {
    faults.push({ pointer: '/cursor_field', code: 'unknown_field' });
  }
  for (const [index, path] of primaryKey.entries()) {
    if (!hasField(jsonSchema, path)) faults.push({ pointer: `/primary_key/${index}`, code: 'unknown_field' });
  }
  if (enabled && incremental && !stream.sourceDefinedCursor && cursorField === undefined) {
    const { defaultCursorField } = stream;
    if (defaultCursorField === undefined) faults.push({ pointer: '/cursor_field', code: 'required' });
    else if (!hasField(jsonSchema, defaultCursorField)) faults.push({ pointer: '/cursor_field', code: 'required' });
  }
  if (KEYED_WRITE_MODES.includes(writeMode)) faults.push(...keyFaults(stream));
  return [...faults, ...partitionFaults(stream.partitionBy ?? [], jsonSchema)];
}

/**
 * What keeps rows from being found by their key: it is made of columns, each with one value. The key that the source
 * itself defines is looked at only when the stream is on, as it can be replaced by one of one's own.
 */
function keyFaults({ enabled, primaryKey, sourceDefinedPrimaryKey, jsonSchema }: StreamSettings): FieldFault[] {
  if (primaryKey !== undefined) {
    return primaryKey.flatMap((path, index) => {
      const code = hasField(jsonSchema, path) ? keyFault(jsonSchema, path) : undefined;
      return code === undefined ? [] : [{ pointer: `/primary_key/${index}`, code }];
    });
  }
  if (!enabled) return [];
  if (sourceDefinedPrimaryKey === undefined) return [{ pointer: '/primary_key', code: 'required' }];
  const usable = sourceDefinedPrimaryKey.every(
    (path) => hasField(jsonSchema, path) && keyFault(jsonSchema, path) === undefined,
  );
  return usable ? [] : [{ pointer: '/primary_key', code: 'source_key_unusable' }];
}

function keyFault(schema: Readonly<Record<string, unknown>>, path: readonly string[]): string | undefined {
  const [name = '', ...below] = path;
  if (below.length > 0) return 'not_top_level';
  if (isReserved(name)) return 'reserved';
  return fieldKind(schema, name) === 'json' ? 'not_scalar' : undefined;
}

/** What a change of a stream is measured by: the faults that were there, and the places that it names. */
export interface StreamChange {
  before: readonly FieldFault[];
  /** Names of the settings that are given, such as `cursor_field`. */
  named: readonly string[];
}

/**
 * The faults for which a change is refused. One that was there before, in a place that the change does not name, is let
 * be: a stream that needs attention can be disabled, or mended one setting after the other. Switching a stream on is
 * refused for every fault.
 */
export function newFaults(after: StreamSettings, { before, named }: StreamChange): FieldFault[] {
  const faults = faultsOf(after);
  if (after.enabled && named.includes('enabled')) return faults;
  const touched = ({ pointer }: FieldFault) => named.includes(pointer.split('/')[1] ?? '');
  const known = new Set(before.map(({ pointer, code }) => `${pointer} ${code}`));
  return faults.filter((fault) => touched(fault) || !known.has(`${fault.pointer} ${fault.code}`));
}

/** Throws `stream_not_syncable` when there is a fault. */
export function refuseFaults(faults: readonly FieldFault[]): void {
  if (faults.length > 0) throw sourceProblems.streamNotSyncable({ errors: [...faults] });
}

/** Whether a JSON schema declares the field that a path names; below an open object everything may exist. */
function hasField(schema: Readonly<Record<string, unknown>>, path: readonly string[]): boolean {
  let node: Readonly<Record<string, unknown>> = schema;
  for (const name of path) {
    const { properties } = node;
    if (!isObject(properties)) return node !== schema;
    if (!Object.hasOwn(properties, name)) return false;
    const next = properties[name];
    node = isObject(next) ? next : {};
  }
  return true;
}

/** The places where a record schema is not one: it names its fields, each with a schema of its own, or with nothing. */
export function schemaFaults(schema: Readonly<Record<string, unknown>>): FieldFault[] {
  const { type, properties } = schema;
  const object = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!object) return [{ pointer: '/schema/type', code: 'not_object' }];
  if (properties === undefined) return [];
  if (!isObject(properties)) return [{ pointer: '/schema/properties', code: 'type' }];
  const sound = Object.values(properties).every((field) => isObject(field) || typeof field === 'boolean');
  return sound ? [] : [{ pointer: '/schema/properties', code: 'type' }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
