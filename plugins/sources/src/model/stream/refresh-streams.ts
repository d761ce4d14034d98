import { isDeepStrictEqual } from 'node:util';
import type { KeptStream } from '../discovery/entity.ts';
import { destinationTable } from './destination-name.ts';
import type { StreamFields } from './entity.ts';
import { describedBy, inOrder } from './new-stream.ts';
import { namespaceFaults, withAttention } from './settings.ts';

/** A known stream before and after; equal schemas and modes mean that only what its rules say of it has changed. */
export interface StreamUpdate<R extends StreamFields = StreamFields> {
  before: R;
  after: R;
}

/** How the streams of a source follow what was discovered. */
export interface StreamRefresh<R extends StreamFields = StreamFields> {
  /** New streams with the tables that are planned for them. */
  create: { stream: KeptStream; table: string }[];
  /** Known streams that are described in another way than before. */
  update: StreamUpdate<R>[];
  remove: R[];
  /** Known streams that stay just as they are. */
  unchanged: R[];
}

export interface RefreshRequest<R extends StreamFields = StreamFields> {
  sourceName: string;
  known: readonly R[];
  /** What was found; names are unique in it. */
  found: readonly KeptStream[];
  /** Names of streams that are there and could not be described: known ones stay. */
  undescribed?: ReadonlySet<string>;
  /** Tables that streams and other producers have, in lower case. */
  takenTables: ReadonlySet<string>;
  /**
   * `snapshot`: the complete list of streams, so that known ones which it lacks are removed unless it is empty, and only
   * schema and modes of the others follow it. `discovery`: what a connector said just now, which also tells its own
   * cursors and keys, and removes nothing.
   */
  from: 'snapshot' | 'discovery';
}

/**
 * Plans how the streams of a source follow a discovery (specification, schema refresh rules 1 to 4). Streams are matched
 * by name; namespace, routing, settings and state of known ones stay, and their rules are read again, so that a cursor or
 * key that is gone shows as `attention`. New ones get a table of their own, which then never changes by itself. Pure.
 */
export function planRefresh<R extends StreamFields>(request: RefreshRequest<R>): StreamRefresh<R> {
  const { sourceName, known, found, from, undescribed } = request;
  const byName = new Map(known.map((row) => [row.name, row]));
  const tables = new Set(request.takenTables);
  const plan: StreamRefresh<R> = { create: [], update: [], remove: [], unchanged: [] };
  const settle = (before: R, after: R) => {
    if (sameFacts(before, after)) plan.unchanged.push(before);
    else plan.update.push({ before, after });
  };
  const namespaces = new Set(found.flatMap(({ namespace }) => namespace ?? []));
  const withNamespace = (row: R) => (from === 'discovery' ? comparedNamespace(row, namespaces) : row);
  for (const stream of found) {
    const row = byName.get(stream.name);
    if (row !== undefined) {
      byName.delete(stream.name);
      settle(row, withNamespace(refreshed(row, stream, from)));
      continue;
    }
    const place = { sourceName, namespace: stream.namespace ?? undefined, stream: stream.name };
    const table = destinationTable(place, (name) => tables.has(name));
    tables.add(table);
    plan.create.push({ stream, table });
  }
  const removes = from === 'snapshot' && found.length > 0;
  for (const row of byName.values()) {
    if (removes && !undescribed?.has(row.name)) plan.remove.push(row);
    else settle(row, withNamespace(row));
  }
  return plan;
}

/** A known stream with a fault when the source has no container of its namespace now. */
function comparedNamespace<R extends StreamFields>(row: R, known: ReadonlySet<string>): R {
  const others = row.attention.filter(({ pointer }) => pointer !== '/namespace');
  return withAttention({ ...row, attention: [...others, ...namespaceFaults(row, known)] });
}

/** A known stream as it is described now. Equal schemas keep the text that is stored, whatever the order of its fields. */
function refreshed<R extends StreamFields>(row: R, stream: KeptStream, from: RefreshRequest['from']): R {
  const jsonSchema = isDeepStrictEqual(row.jsonSchema, stream.schema) ? row.jsonSchema : stream.schema;
  const supportedSyncModes = inOrder(stream.supported_sync_modes);
  const after = { ...row, jsonSchema, supportedSyncModes };
  if (from === 'discovery') return withAttention({ ...after, ...describedBy(stream) });
  if (sameSchema(row, after)) return withAttention(after);
  const discovered = { ...row.discovered, json_schema: jsonSchema, supported_sync_modes: supportedSyncModes };
  return withAttention({ ...after, discovered });
}

/** Whether the two things that a schema refresh changes are the same. */
export function sameSchema(a: StreamFields, b: StreamFields): boolean {
  return same(a, b, ['jsonSchema', 'supportedSyncModes']);
}

const FACTS = [
  'jsonSchema',
  'supportedSyncModes',
  'sourceDefinedCursor',
  'defaultCursorField',
  'sourceDefinedPrimaryKey',
  'discovered',
  'attention',
] as const;

function sameFacts(a: StreamFields, b: StreamFields): boolean {
  return same(a, b, FACTS);
}

function same(a: StreamFields, b: StreamFields, fields: readonly (keyof StreamFields)[]): boolean {
  return fields.every((field) => isDeepStrictEqual(a[field] ?? null, b[field] ?? null));
}
