import type { FieldFault } from '@weir/kernel/contract';
import type { BulkStreamBody } from '../../contract.ts';
import type { KeptStream } from '../discovery/entity.ts';
import type { StreamFields } from './entity.ts';
import { keptStream, newStream } from './new-stream.ts';
import { changesOf, type KnownNamespaces, namedIn, namespaceFaults, settingsOf, withAttention } from './settings.ts';
import { faultsOf, newFaults, schemaFaults } from './stream-rules.ts';

/** One stream of a bulk request, decided; `table` is the destination that it asks for. */
export type BulkStep<R extends StreamFields = StreamFields> =
  | { action: 'created'; stream: KeptStream; after: StreamFields; table: string | undefined }
  | { action: 'updated' | 'unchanged'; before: R; after: R; table: string | undefined }
  | { action: 'deleted'; before: R };

/** What a bulk request does, in its order; steps of faulty streams are missing, so faults mean that nothing is done. */
export interface BulkPlan<R extends StreamFields = StreamFields> {
  steps: BulkStep<R>[];
  faults: FieldFault[];
  /** Streams that no longer have the etag that the request names. */
  stale: FieldFault[];
}

/** What only a new stream takes: a known one has it from its source. */
const DESCRIPTION = [
  ...(['namespace', 'schema', 'supported_sync_modes'] as const),
  ...(['source_defined_cursor', 'default_cursor_field', 'source_defined_primary_key'] as const),
];
/** What is no setting of the stream. */
const ADDRESS = ['stream_id', 'name', 'etag', 'delete'];

/**
 * Decides what a bulk request does to the streams of a source. A stream is found by its id or its name; an unknown name is
 * a new stream. Collects every fault with its pointer instead of stopping at the first. Pure but for ids and time.
 */
export function planBulk<R extends StreamFields>(
  sourceId: string,
  known: readonly R[],
  items: readonly BulkStreamBody[],
  namespaces?: KnownNamespaces,
): BulkPlan<R> {
  const plan: BulkPlan<R> = { steps: [], faults: [], stale: [] };
  const byId = new Map(known.map((row) => [row.streamId, row]));
  const byName = new Map(known.map((row) => [row.name, row]));
  const named = new Set<string>();
  for (const [index, item] of items.entries()) {
    const fault = (pointer: string, code: string) => ({ pointer: `/streams/${index}${pointer}`, code });
    const row = item.stream_id === undefined ? byName.get(item.name ?? '') : byId.get(item.stream_id);
    const name = row?.name ?? item.name;
    if (name === undefined || (row === undefined && item.delete)) {
      plan.faults.push(fault(item.stream_id === undefined ? '/name' : '/stream_id', 'not_found'));
      continue;
    }
    if (named.has(name)) plan.faults.push(fault(item.stream_id === undefined ? '/name' : '/stream_id', 'repeated'));
    named.add(name);
    if (row !== undefined && item.etag !== undefined && item.etag !== String(row.version)) {
      plan.stale.push(fault('/etag', 'stale'));
    }
    const { step, faults } = row === undefined ? creation(sourceId, item, namespaces) : change(row, item);
    plan.faults.push(...faults.map(({ pointer, code }) => fault(pointer, code)));
    plan.steps.push(step);
  }
  return plan;
}

interface Decided<R extends StreamFields> {
  step: BulkStep<R>;
  faults: FieldFault[];
}

function creation(sourceId: string, item: BulkStreamBody, namespaces: KnownNamespaces): Decided<never> {
  const { name = '', schema = {}, etag } = item;
  const faults: FieldFault[] = [];
  if (item.schema === undefined) faults.push({ pointer: '/schema', code: 'required' });
  if (etag !== undefined) faults.push({ pointer: '/etag', code: 'new_stream' });
  faults.push(...namespaceFaults({ ...item, name }, namespaces));
  const stream = keptStream({ ...item, name, schema }, item.namespace ?? null);
  const made = newStream(stream, { sourceId, table: '' }, new Date());
  const after = withAttention<StreamFields>({ ...made, ...changesOf(item) });
  faults.push(...schemaFaults(schema), ...(item.schema === undefined ? [] : after.attention));
  return { step: { action: 'created', stream, after, table: item.destination?.table }, faults };
}

function change<R extends StreamFields>(row: R, item: BulkStreamBody): Decided<R> {
  const given = namedIn(item).filter((name) => !ADDRESS.includes(name));
  if (item.delete) {
    const faults = given.map((name) => ({ pointer: `/${name}`, code: 'not_with_delete' }));
    return { step: { action: 'deleted', before: row }, faults };
  }
  const readOnly = DESCRIPTION.filter((name) => given.includes(name));
  const faults = readOnly.map((name) => ({ pointer: `/${name}`, code: 'read_only' }));
  const after = withAttention<R>({ ...row, ...changesOf(item) });
  faults.push(...newFaults(settingsOf(after), { before: faultsOf(settingsOf(row)), named: given }));
  const table = item.destination?.table === row.destinationTable ? undefined : item.destination?.table;
  const changed = table !== undefined || namedIn(changesOf(item)).length > 0;
  return { step: { action: changed ? 'updated' : 'unchanged', before: row, after, table }, faults };
}
