import { type Static, Type } from '@sinclair/typebox';
import { canonicalJson } from '@weir/kernel';
import { Closed } from '@weir/kernel/contract';
import type { ItemFault, Json } from '@weir/plugin-apply/contract';
import { ScheduleDocument } from '@weir/plugin-schedules/contract';
import { RecordSchema, streamSettings } from '../../contract/stream/streams.ts';
import { type BulkStreamBody, createSource, MAX_BULK_STREAMS, NewStream, type StreamView } from '../../contract.ts';
import { planBulk } from '../stream/bulk-plan.ts';
import { faultsOf } from '../stream/stream-rules.ts';

const {
  name: _,
  workflow_id: _workflow,
  ...members
} = (createSource.body as NonNullable<typeof createSource.body>).properties;
const DocumentStream = Closed({
  ...NewStream.properties,
  schema: Type.Optional({ ...RecordSchema, description: 'Makes a stream that the source does not have yet' }),
});
type DocumentStreamBody = Static<typeof DocumentStream>;

/** The spec of a document: a new source without its name, its streams and its schedule. */
export const SourceSpec = Closed({
  ...members,
  streams: Type.Optional(
    Type.Array(DocumentStream, {
      maxItems: MAX_BULK_STREAMS,
      description: 'Streams that are not named stay as they are; so do settings, and what the source says of a stream',
    }),
  ),
  schedule: Type.Optional(ScheduleDocument),
});
export type SourceSpecBody = Static<typeof SourceSpec>;

const SETTINGS = Object.keys(streamSettings) as (keyof typeof streamSettings)[];
const FACTS = [
  ...(['name', 'namespace', 'schema', 'supported_sync_modes', 'source_defined_cursor'] as const),
  ...(['default_cursor_field', 'source_defined_primary_key'] as const),
];

/** A stream as a document has it. Pure. */
export function streamSpec(view: StreamView): Json {
  const shown = [...FACTS.map((name) => [name, view[name]] as const), ...Object.entries(settingsOf(view))];
  return Object.fromEntries(shown.filter(([, value]) => value !== null && value !== false));
}

function settingsOf(view: StreamView): Json {
  const { destination, ...rest } = view;
  const named = { ...rest, destination: { table: destination.table } } as Json;
  return Object.fromEntries(SETTINGS.map((name) => [name, named[name]]));
}

type StreamAction = { name: string; action: 'create' | 'patch' | 'noop' | 'unmanaged' };

/** What a document wants of the streams of a source. */
export interface WantedStreams {
  faults: ItemFault[];
  /** Settings by the names of streams. */
  before: Json;
  after: Json;
  streams: StreamAction[];
  /** The bulk request that makes it so. */
  items: BulkStreamBody[];
}

/** Compares the streams of a document with those that are there. Pure. */
export function wantedStreams(given: readonly DocumentStreamBody[], there: readonly StreamView[]): WantedStreams {
  const known = new Map(there.map((view) => [view.name, view]));
  const named = new Set<string>();
  // Streams may have the names of members that every object has.
  const bare = (): Json => Object.create(null);
  const wanted: WantedStreams = { faults: [], before: bare(), after: bare(), streams: [], items: [] };
  for (const [at, stream] of given.entries()) {
    const { name } = stream;
    const fault = (code: string, place: string, detail: string) =>
      wanted.faults.push({ code, pointer: `/spec/streams/${at}${place}`, detail });
    if (named.has(name)) fault('document_doubled', '/name', 'The document names this stream twice.');
    named.add(name);
    const view = known.get(name);
    if (view === undefined) {
      if (stream.schema === undefined)
        fault('stream_unknown', '/name', 'The source has no such stream: discover it first, or give its `schema`.');
      else addStream(wanted, stream as BulkStreamBody & { name: string }, fault);
    } else changeStream(wanted, { stream, view }, fault);
  }
  const others = there.filter(({ name }) => !named.has(name));
  wanted.streams.push(...others.map(({ name }): StreamAction => ({ name, action: 'unmanaged' })));
  return wanted;
}

type AddFault = (code: string, place: string, detail: string) => void;
const NOT_SYNCABLE = 'stream_not_syncable';

function addStream(wanted: WantedStreams, stream: BulkStreamBody & { name: string }, fault: AddFault): void {
  for (const { pointer, code } of planBulk('', [], [stream]).faults)
    fault(
      NOT_SYNCABLE,
      pointer.replace(/^\/streams\/0/, ''),
      `The new stream is refused: ${code.replaceAll('_', ' ')}.`,
    );
  const { name, ...rest } = stream;
  wanted.after[name] = rest;
  wanted.items.push(stream);
  wanted.streams.push({ name, action: 'create' });
}

function changeStream(
  wanted: WantedStreams,
  { stream, view }: { stream: DocumentStreamBody; view: StreamView },
  fault: AddFault,
): void {
  const before = settingsOf(view);
  const given = SETTINGS.flatMap((name) => (stream[name] === undefined ? [] : [[name, stream[name]] as const]));
  const changed = given.filter(([name, value]) => canonicalJson(value) !== canonicalJson(before[name]));
  const after: Json = { ...before, ...Object.fromEntries(changed) };
  const standing = new Set(rulesOf(view, before));
  for (const broken of rulesOf(view, after).filter((one) => !standing.has(one))) {
    const [pointer = '', code = ''] = broken.split(' ');
    fault(NOT_SYNCABLE, pointer, `The stream is refused: ${code.replaceAll('_', ' ')}.`);
  }
  wanted.before[view.name] = before;
  wanted.after[view.name] = after;
  wanted.streams.push({ name: view.name, action: changed.length === 0 ? 'noop' : 'patch' });
  if (changed.length > 0)
    wanted.items.push({ name: view.name, etag: view.etag, ...Object.fromEntries(changed) } as BulkStreamBody);
}

/** The rules that settings of a stream break, as place and code. */
function rulesOf(view: StreamView, settings: Json): string[] {
  const { enabled, sync_mode, write_mode, cursor_field, primary_key, partition_by } = settings as unknown as StreamView;
  const faults = faultsOf({
    enabled,
    syncMode: sync_mode,
    writeMode: write_mode,
    cursorField: cursor_field ?? undefined,
    primaryKey: primary_key ?? undefined,
    partitionBy: partition_by ?? undefined,
    supportedSyncModes: view.supported_sync_modes,
    sourceDefinedCursor: view.source_defined_cursor,
    defaultCursorField: view.default_cursor_field ?? undefined,
    sourceDefinedPrimaryKey: view.source_defined_primary_key ?? undefined,
    jsonSchema: view.schema,
  });
  return faults.map(({ pointer, code }) => `${pointer} ${code}`);
}

/** The merge patch that makes one object another. Pure. */
export function patchBetween(before: Json, after: Json): Json {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const kept = Object.entries(after).flatMap(([name, value]): [string, unknown][] => {
    const was = Object.hasOwn(before, name) ? before[name] : undefined;
    if (was !== undefined && canonicalJson(was) === canonicalJson(value)) return [];
    return [[name, isObject(was) && isObject(value) ? patchBetween(was, value) : value]];
  });
  return Object.fromEntries([...gone.map((name): [string, unknown] => [name, null]), ...kept]);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
