import type { FieldFault } from '@weir/kernel/contract';
import { type StreamView, sourceProblems } from '../../contract.ts';
import type { StreamRow } from './entity.ts';
import { faultsOf, type StreamSettings } from './stream-rules.ts';

type Setting =
  | ('enabled' | 'sync_mode' | 'write_mode' | 'cursor_field' | 'primary_key')
  | ('schema_change_policy' | 'partition_by');

/** The settings of a stream as a request gives them; what is left out stays, `null` clears cursor, key and partitioning. */
export type SettingsPatch = {
  [K in Setting]?: StreamView[K] | undefined;
} & { destination?: { table: string } | undefined };

/** The columns that a patch changes; the destination is not among them, as it has to be taken first. */
export function changesOf(patch: SettingsPatch): Partial<StreamRow> {
  return {
    ...(patch.enabled === undefined ? {} : { enabled: patch.enabled }),
    ...(patch.sync_mode === undefined ? {} : { syncMode: patch.sync_mode }),
    ...(patch.write_mode === undefined ? {} : { writeMode: patch.write_mode }),
    ...(patch.cursor_field === undefined ? {} : { cursorField: patch.cursor_field }),
    ...(patch.primary_key === undefined ? {} : { primaryKey: patch.primary_key }),
    ...(patch.schema_change_policy === undefined ? {} : { schemaChangePolicy: patch.schema_change_policy }),
    ...(patch.partition_by === undefined ? {} : { partitionBy: patch.partition_by }),
  };
}

/** The names of the settings that a patch gives. */
export function namedIn(patch: object): string[] {
  return Object.entries(patch).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

type SettingColumns = Pick<
  StreamRow,
  | 'enabled'
  | 'syncMode'
  | 'writeMode'
  | 'cursorField'
  | 'primaryKey'
  | 'partitionBy'
  | 'supportedSyncModes'
  | 'sourceDefinedCursor'
  | 'defaultCursorField'
  | 'sourceDefinedPrimaryKey'
  | 'jsonSchema'
> & { attention?: FieldFault[] };

/** A stream's row as the rules see it. */
export function settingsOf(row: SettingColumns): StreamSettings {
  return {
    enabled: row.enabled,
    syncMode: row.syncMode,
    writeMode: row.writeMode,
    cursorField: row.cursorField ?? undefined,
    primaryKey: row.primaryKey ?? undefined,
    partitionBy: row.partitionBy ?? undefined,
    supportedSyncModes: row.supportedSyncModes,
    sourceDefinedCursor: row.sourceDefinedCursor,
    defaultCursorField: row.defaultCursorField ?? undefined,
    sourceDefinedPrimaryKey: row.sourceDefinedPrimaryKey ?? undefined,
    jsonSchema: row.jsonSchema,
  };
}

/** Whether it was seen at the source and does not follow from the settings, so that only the source can end it. */
function isObserved({ pointer }: FieldFault): boolean {
  return pointer === '/namespace';
}

/** The row with what its rules say of it; the two columns always go together. */
export function withAttention<R extends SettingColumns>(row: R): R & Pick<StreamRow, 'attention' | 'needsAttention'> {
  const attention = [...faultsOf(settingsOf(row)), ...(row.attention ?? []).filter(isObserved)];
  return { ...row, attention, needsAttention: attention.length > 0 };
}

/**
 * The namespace of a stream as somebody gave it by hand: a container of the source, or none. Throws `namespace_refused`
 * when it repeats the name of the stream, or no discovery has shown it.
 */
export function givenNamespace({ name, namespace }: GivenNamespace, known: KnownNamespaces): string | null {
  const errors = namespaceFaults({ name, namespace }, known);
  if (errors.length > 0) throw sourceProblems.namespaceRefused({ errors });
  return namespace ?? null;
}

/** What the last successful discovery has found; undefined before the first. */
export type KnownNamespaces = ReadonlySet<string> | undefined;

interface GivenNamespace {
  name: string;
  namespace?: string | null | undefined;
}

/** Why a namespace cannot be that of a stream: it repeats the name, or the source has no such container. Pure. */
export function namespaceFaults({ name, namespace }: GivenNamespace, known: KnownNamespaces): FieldFault[] {
  if (namespace === undefined || namespace === null) return [];
  if (namespace === name) return [{ pointer: '/namespace', code: 'own_name' }];
  return known === undefined || known.has(namespace) ? [] : [{ pointer: '/namespace', code: 'not_discovered' }];
}

/** The namespace of a stream as a connector describes it: what is blank or repeats the name of the stream is none. */
export function discoveredNamespace(name: string, namespace: string | null | undefined): string | null {
  return namespace === undefined || namespace === null || namespace === name || namespace.trim() === ''
    ? null
    : namespace;
}
