import { isReserved } from '@weir/plugin-datasets/contract';
import { type StreamView, SYNC_MODES, type SyncMode, WRITE_MODES, type WriteMode } from '@weir/plugin-sources/contract';
import { type SchemaField, samePath, schemaFields } from './schema-fields.ts';

/** What people decide of a stream. */
export type StreamDraft = Pick<
  StreamView,
  'enabled' | 'sync_mode' | 'write_mode' | 'cursor_field' | 'primary_key' | 'schema_change_policy'
>;

/** A value, and why it cannot be chosen where it cannot. */
export interface Choice<V> {
  value: V;
  why?: string;
}

/** Where what a mode needs comes from. */
export type Origin = 'not_needed' | 'source' | 'chosen' | 'missing';

export const draftOf = (stream: StreamView): StreamDraft => {
  const { enabled, sync_mode, write_mode, cursor_field, primary_key, schema_change_policy } = stream;
  return { enabled, sync_mode, write_mode, cursor_field, primary_key, schema_change_policy };
};

const KEYED: readonly WriteMode[] = ['merge', 'soft_delete'];

/** The sync modes of a stream. Pure. */
export function syncChoices({ supported_sync_modes: supported }: StreamView): Choice<SyncMode>[] {
  const why = (mode: SyncMode) =>
    mode === 'incremental'
      ? 'The source can only be read whole: no field of it shows what is new.'
      : 'The source only gives what is new.';
  return SYNC_MODES.map((value) => (supported.includes(value) ? { value } : { value, why: why(value) }));
}

/** The write modes that go with a draft. Pure. */
export function writeChoices(stream: StreamView, { sync_mode }: Pick<StreamDraft, 'sync_mode'>): Choice<WriteMode>[] {
  return WRITE_MODES.map((value) => {
    if (value === 'overwrite' && sync_mode === 'incremental')
      return { value, why: 'An increment would replace the rows that earlier ones brought.' };
    if (KEYED.includes(value) && keyFields(stream).length === 0)
      return { value, why: 'No field of this stream can be a key.' };
    return { value };
  });
}

/** Fields that can show what is new: single values that order. Pure. */
export function cursorFields(stream: StreamView): SchemaField[] {
  return schemaFields(stream).filter(({ isJson, type }) => !isJson && !/^bool/.test(type));
}

/** Fields that rows can be found by: columns of the table with a single value. Pure. */
export function keyFields(stream: StreamView): SchemaField[] {
  return schemaFields(stream).filter(({ path: [name = ''], path, isJson }) => {
    return path.length === 1 && !isJson && !isReserved(name);
  });
}

/** Whether the schema of a stream has a field; below one whose own fields are not named everything may be. */
const isDeclared = (stream: StreamView, path: readonly string[]) =>
  path.every((_, at) => {
    const siblings = fieldsIn(stream, path.slice(0, at));
    return at > 0 && siblings.length === 0
      ? true
      : siblings.some((field) => samePath(field.path, path.slice(0, at + 1)));
  });

/** The fields that lie directly in the object at a path. */
const fieldsIn = (stream: StreamView, path: readonly string[]) =>
  schemaFields(stream).filter(
    (field) => field.path.length === path.length + 1 && samePath(field.path.slice(0, -1), path),
  );

/** Where the cursor of a draft comes from. Pure. */
export function cursorOrigin(stream: StreamView, { sync_mode, cursor_field }: StreamDraft): Origin {
  if (sync_mode !== 'incremental') return 'not_needed';
  if (stream.source_defined_cursor) return 'source';
  if (cursor_field !== null) return isDeclared(stream, cursor_field) ? 'chosen' : 'missing';
  const { default_cursor_field: usual } = stream;
  return usual !== null && isDeclared(stream, usual) ? 'source' : 'missing';
}

/** Where the key of a draft comes from. Pure. */
export function keyOrigin(stream: StreamView, { write_mode, primary_key }: StreamDraft): Origin {
  if (!KEYED.includes(write_mode)) return 'not_needed';
  const usable = keyFields(stream).map(({ path }) => path);
  const isUsable = (key: readonly (readonly string[])[]) =>
    key.length > 0 && key.every((path) => usable.some((one) => samePath(one, path)));
  if (primary_key !== null) return isUsable(primary_key) ? 'chosen' : 'missing';
  const { source_defined_primary_key: own } = stream;
  return own !== null && isUsable(own) ? 'source' : 'missing';
}

export type DraftField = 'sync_mode' | 'write_mode' | 'cursor_field' | 'primary_key';

/** What keeps a draft from being synced, by its field. Pure. */
export function draftFaults(stream: StreamView, draft: StreamDraft): Partial<Record<DraftField, string>> {
  const sync = syncChoices(stream).find(({ value }) => value === draft.sync_mode)?.why;
  const write = writeChoices(stream, draft).find(({ value }) => value === draft.write_mode)?.why;
  const lacksCursor = cursorOrigin(stream, draft) === 'missing';
  const lacksKey = write === undefined && keyOrigin(stream, draft) === 'missing';
  return {
    ...(sync !== undefined && { sync_mode: sync }),
    ...(write !== undefined && { write_mode: write }),
    ...(lacksCursor && { cursor_field: 'Choose the field that shows which rows are new or changed.' }),
    ...(lacksKey && { primary_key: 'Choose the fields that identify a row.' }),
  };
}

/** A draft with another sync mode, and the write mode that goes with it where the present one does not. Pure. */
export function withSyncMode(stream: StreamView, draft: StreamDraft, mode: SyncMode): StreamDraft {
  const next = { ...draft, sync_mode: mode };
  if (mode !== 'incremental' || draft.write_mode !== 'overwrite') return next;
  const merged = { ...next, write_mode: 'merge' as const };
  return keyOrigin(stream, merged) === 'missing' ? { ...next, write_mode: 'append' } : merged;
}

/** Whether a stream is incremental and no field shows what is new. */
export const needsCursor = (stream: StreamView): boolean => cursorOrigin(stream, draftOf(stream)) === 'missing';

/** What differs in a draft from its stream, as a merge patch. Pure. */
export function patchOf(stream: StreamView, draft: StreamDraft): Partial<StreamDraft> {
  const before = draftOf(stream);
  const names = Object.keys(before) as (keyof StreamDraft)[];
  return Object.fromEntries(
    names.flatMap((name) =>
      JSON.stringify(before[name]) === JSON.stringify(draft[name]) ? [] : [[name, draft[name]]],
    ),
  );
}
