import type { SchemaChangePolicy, StreamView, SyncMode, WriteMode } from '@weir/plugin-sources/contract';
import {
  cursorFields,
  draftFaults,
  draftOf,
  keyFields,
  patchOf,
  type StreamDraft,
  syncChoices,
  withSyncMode,
} from './legal.ts';
import { pathText, type SchemaField, samePath } from './schema-fields.ts';

/** What is wanted of several streams; what is left out stays. */
export interface BulkWish {
  sync_mode?: SyncMode;
  write_mode?: WriteMode;
  cursor_field?: string[];
  primary_key?: string[][];
  schema_change_policy?: SchemaChangePolicy;
}

export interface BulkPlan {
  set: { stream: StreamView; patch: Partial<StreamDraft> }[];
  /** Streams that are so already. */
  same: StreamView[];
  /** Streams that cannot be so, and why. */
  left: { stream: StreamView; why: string }[];
}

/** On which streams a wish can be carried out, each with its own patch. Pure. */
export function planBulk(streams: readonly StreamView[], wish: BulkWish): BulkPlan {
  const plan: BulkPlan = { set: [], same: [], left: [] };
  for (const stream of streams) {
    const made = drafted(stream, wish);
    if (typeof made === 'string') {
      plan.left.push({ stream, why: made });
      continue;
    }
    const patch = patchOf(stream, made);
    if (Object.keys(patch).length === 0) plan.same.push(stream);
    else plan.set.push({ stream, patch });
  }
  return plan;
}

/** The draft of a stream that a wish makes, or why there is none. */
function drafted(stream: StreamView, wish: BulkWish): StreamDraft | string {
  const { sync_mode, write_mode, cursor_field, primary_key, schema_change_policy } = wish;
  let draft: StreamDraft = { ...draftOf(stream), ...(schema_change_policy && { schema_change_policy }) };
  if (sync_mode !== undefined) {
    const why = syncChoices(stream).find(({ value }) => value === sync_mode)?.why;
    if (why !== undefined) return why;
  }
  // The cursor of such a source is its own matter; the rest of the wish still holds.
  if (cursor_field !== undefined && !stream.source_defined_cursor) {
    if (!has(cursorFields(stream), cursor_field))
      return `It has no field ${pathText(cursor_field)} that can be a cursor.`;
    draft = { ...draft, cursor_field };
  }
  if (cursor_field !== undefined && stream.source_defined_cursor && Object.keys(wish).length === 1)
    return 'Its source decides the cursor.';
  if (primary_key !== undefined) {
    const missing = primary_key.find((path) => !has(keyFields(stream), path));
    if (missing !== undefined) return `It has no field ${pathText(missing)} that can be part of a key.`;
    draft = { ...draft, primary_key };
  }
  if (write_mode !== undefined) draft = { ...draft, write_mode };
  if (sync_mode !== undefined)
    draft = write_mode === undefined ? withSyncMode(stream, draft, sync_mode) : { ...draft, sync_mode };
  const named: readonly string[] = Object.keys(wish);
  const faults = Object.entries(draftFaults(stream, draft));
  const isCause = ([field]: [string, string]) => named.includes(field) || named.includes(CAUSES[field] ?? '');
  return faults.find(isCause)?.[1] ?? draft;
}

/** The setting by which another comes to be needed. */
const CAUSES: Readonly<Record<string, string>> = {
  cursor_field: 'sync_mode',
  primary_key: 'write_mode',
  write_mode: 'sync_mode',
};

const has = (fields: readonly SchemaField[], path: readonly string[]) =>
  fields.some((field) => samePath(field.path, path));

/** A field that some of several streams have. */
export interface SharedField {
  path: string[];
  count: number;
}

/** The fields of several streams, those that most of them have first. Pure. */
export function sharedFields(
  streams: readonly StreamView[],
  fieldsOf: (stream: StreamView) => SchemaField[],
): SharedField[] {
  const byKey = new Map<string, SharedField>();
  for (const { path } of streams.flatMap(fieldsOf)) {
    const key = JSON.stringify(path);
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { path, count: 1 });
    else known.count += 1;
  }
  return [...byKey.values()].sort((a, b) => b.count - a.count || (pathText(a.path) < pathText(b.path) ? -1 : 1));
}
