import type { Batch, PlannedStream, Segment, StreamFailure, StreamState, SyncTypes } from './sync-types.ts';

/** What a segment brings: nothing but a state, or staged rows and rejected lines. */
export interface Brought<T extends SyncTypes> {
  readonly part: T['part'] | undefined;
  readonly quarantine: T['part'] | undefined;
  readonly rejected: number;
}

/** What a state alone brings. */
export const NO_ROWS = { part: undefined, quarantine: undefined, rejected: 0 } as const;

/** A stream before anything was read. */
export function newStream<T extends SyncTypes>(plan: PlannedStream<T>): StreamState<T> {
  return {
    plan,
    batch: emptyBatch(),
    changesTable: plan.changesTable,
    uncovered: emptyBatch(),
    number: plan.batch,
    rejected: plan.rejected,
    state: plan.state,
    sawState: false,
    failure: undefined,
    isClosed: false,
  };
}

/** The stream with a segment more. Rows of a stateful stream wait for the state that covers them. */
export function withSegment<T extends SyncTypes>(
  stream: StreamState<T>,
  segment: Segment<T>,
  brought: Brought<T>,
): StreamState<T> {
  const rejected = stream.rejected + brought.rejected;
  const { replacedFiles } = segment;
  if (!stream.plan.isStateful)
    return { ...stream, rejected, batch: withRows(stream.batch, { ...brought, replacedFiles }) };
  const uncovered = withRows(stream.uncovered, { ...brought, replacedFiles });
  if (segment.state === undefined) return { ...stream, rejected, uncovered };
  return covered({ ...stream, rejected, uncovered, sawState: true }, segment.state);
}

/** The stream with all of its rows in the batch, and the state that is told to cover them. */
export function covered<T extends SyncTypes>(stream: StreamState<T>, state: T['state'] | undefined): StreamState<T> {
  const { batch, uncovered } = stream;
  const all: Batch<T> = {
    parts: [...batch.parts, ...uncovered.parts],
    quarantine: [...batch.quarantine, ...uncovered.quarantine],
    rejected: batch.rejected + uncovered.rejected,
    replacedFiles: [...batch.replacedFiles, ...uncovered.replacedFiles],
    state: state ?? batch.state,
  };
  return { ...stream, batch: all, uncovered: emptyBatch() };
}

/** The stream after its batch was committed. */
export function afterCommit<T extends SyncTypes>(stream: StreamState<T>, isWhole: boolean): StreamState<T> {
  const { batch, number, state } = stream;
  const changesTable = stream.changesTable && !bringsTable(stream, isWhole);
  return { ...stream, changesTable, batch: emptyBatch(), number: number + 1, state: batch.state ?? state };
}

/** Whether a commit makes the table what it is to be: a state alone does not. */
export function bringsTable<T extends SyncTypes>({ plan, batch }: StreamState<T>, isWhole: boolean): boolean {
  return isWhole || plan.replaces || plan.marksMissing || bringsAnything(batch);
}

/** The stream as one that has failed; what it has not committed is given up, to be read again. */
export function broken<T extends SyncTypes>(stream: StreamState<T>, failure: StreamFailure<T>): StreamState<T> {
  return { ...stream, failure: stream.failure ?? failure, batch: emptyBatch(), uncovered: emptyBatch() };
}

/** Whether to commit the batch would change anything. */
export function changesAnything<T extends SyncTypes>({ plan, batch, state }: StreamState<T>): boolean {
  const moves = batch.state !== undefined && batch.state !== state;
  return plan.replaces || plan.marksMissing || moves || bringsAnything(batch);
}

/** Whether a stream has neither told a state nor was read from one: then its end covers its rows. */
export function hasNoState<T extends SyncTypes>({ plan, sawState }: StreamState<T>): boolean {
  return !plan.isStateful || (!sawState && plan.state === undefined);
}

/** Whether rows wait for a state. */
export function hasUncovered<T extends SyncTypes>({ uncovered }: StreamState<T>): boolean {
  return bringsAnything(uncovered);
}

function bringsAnything<T extends SyncTypes>({ parts, quarantine, replacedFiles }: Batch<T>): boolean {
  return parts.length > 0 || quarantine.length > 0 || replacedFiles.length > 0;
}

function emptyBatch<T extends SyncTypes>(): Batch<T> {
  return { parts: [], quarantine: [], rejected: 0, replacedFiles: [], state: undefined };
}

function withRows<T extends SyncTypes>(
  batch: Batch<T>,
  { part, quarantine, rejected, replacedFiles }: Brought<T> & Pick<Segment<T>, 'replacedFiles'>,
): Batch<T> {
  return {
    ...batch,
    parts: part === undefined ? batch.parts : [...batch.parts, part],
    quarantine: quarantine === undefined ? batch.quarantine : [...batch.quarantine, quarantine],
    rejected: batch.rejected + rejected,
    replacedFiles: [...batch.replacedFiles, ...replacedFiles],
  };
}
