import { createHash } from 'node:crypto';
import {
  type Emit,
  type EndStream,
  type ReadContext,
  type RowsFrom,
  recordEnvelope,
  type Source,
} from './define-source.ts';
import type { Output } from './output.ts';
import {
  type ConfiguredCatalog,
  type ConfiguredStream,
  FILE_REPLACED,
  type JsonSchema,
  READ_NOTE,
  type ReadNote,
  type ReplacedFile,
  type SegmentFormat,
  type State,
  type StreamDescriptor,
} from './protocol.ts';
import type { SegmentLane, WriteSegment } from './segment-lane.ts';
import { toSourceError } from './source-error.ts';

const SCHEMA_ID_CHARS = 32;

export type ReadRun = {
  readonly config: unknown;
  readonly catalog: ConfiguredCatalog;
  readonly states: readonly State[];
  readonly emittedAt: number;
  readonly signal: AbortSignal;
  /** There if the reader takes segments. */
  readonly lane: SegmentLane | undefined;
};

/**
 * Reads every configured stream in turn, and those that are read together behind them: STARTED, RUNNING with the first
 * record, then COMPLETE, or the error and INCOMPLETE. Gives back whether all of them are complete. After an abort no further
 * stream is begun.
 */
export async function readStreams(source: Source, run: ReadRun, output: Output): Promise<boolean> {
  const { together } = source;
  const isMember = (stream: ConfiguredStream) => together?.isMember(run.config, stream) === true;
  let complete = true;
  for (const stream of run.catalog.streams.filter((one) => !isMember(one))) {
    if (run.signal.aborted) return false;
    const read = ([context]: readonly ReadContext[]) => (context === undefined ? undefined : source.read(context));
    complete = (await readGroup([stream], { read, run, output })) && complete;
  }
  const members = run.catalog.streams.filter(isMember);
  if (together === undefined || members.length === 0) return complete;
  if (run.signal.aborted) return false;
  return (await readGroup(members, { read: together.read, run, output })) && complete;
}

type Group = {
  readonly read: (contexts: readonly ReadContext[], end: EndStream) => Promise<void> | undefined;
  readonly run: ReadRun;
  readonly output: Output;
};

async function readGroup(streams: readonly ConfiguredStream[], { read, run, output }: Group): Promise<boolean> {
  const { config, emittedAt, signal } = run;
  const open = new Map<ReadContext, StreamDescriptor>();
  let complete = true;
  for (const stream of streams) {
    const descriptor = descriptorOf(stream.stream);
    const state = stream.sync_mode === 'incremental' ? stateOf(run.states, descriptor) : undefined;
    const emit = emitterOf(stream, run, output);
    open.set({ config, stream, state, emit, emittedAt, signal }, descriptor);
    await output.status(descriptor, 'STARTED');
  }
  const end: EndStream = async (context, error) => {
    const descriptor = open.get(context);
    if (!open.delete(context) || descriptor === undefined) return;
    if (error !== undefined && !signal.aborted) await output.error(toSourceError(error), descriptor);
    const isComplete = error === undefined && !signal.aborted;
    await output.status(descriptor, isComplete ? 'COMPLETE' : 'INCOMPLETE');
    complete = complete && isComplete;
  };
  let failure: unknown;
  try {
    await read([...open.keys()], end);
  } catch (error) {
    failure = error ?? new Error('a source threw nothing');
  }
  for (const context of [...open.keys()]) await end(context, failure);
  return complete;
}

function emitterOf({ stream: described }: ConfiguredStream, run: ReadRun, output: Output): Emit {
  const { emittedAt, lane, signal } = run;
  const stream = descriptorOf(described);
  const { prefix, suffix } = recordEnvelope(stream, emittedAt);
  let sinceState = 0;
  let running = false;
  const count = async (records: number) => {
    if (!running) await output.status(stream, 'RUNNING');
    running = true;
    sinceState += records;
  };
  const lines = async (bytes: Uint8Array, records: number) => {
    await count(records);
    await output.bytes(bytes);
  };
  const segmentOf =
    (taker: SegmentLane, format: SegmentFormat) =>
    async (write: WriteSegment, { file }: RowsFrom = {}) => {
      const written = await taker.write(write, { signal, format });
      if (written === 'too_large') return written;
      if (written === 'empty') return 'sent';
      await count(written.rows);
      const place = placeOf(stream);
      const facts = { schema_id: schemaId(described.json_schema), emitted_at: emittedAt };
      const from = file === undefined ? {} : { source_file: file };
      await output.message({ type: 'SEGMENT', segment: { ...place, ...written, ...facts, ...from } });
      return 'sent';
    };
  const analytics = (type: string, value: object) =>
    output.message({
      type: 'TRACE',
      trace: { type: 'ANALYTICS', emitted_at: emittedAt, analytics: { type, value: JSON.stringify(value) } },
    });
  return {
    lines,
    record: (data) => lines(Buffer.from(`${prefix}${JSON.stringify(data)}${suffix}`), 1),
    segment: lane === undefined ? undefined : segmentOf(lane, 'parquet'),
    lineFile: lane?.takesLines === true ? segmentOf(lane, 'jsonl') : undefined,
    replaceFile: (file) => analytics(FILE_REPLACED, { ...placeOf(stream), file } satisfies ReplacedFile),
    note: (note) => analytics(READ_NOTE, { ...placeOf(stream), ...note } satisfies ReadNote),
    async state(streamState) {
      const recordCount = sinceState;
      sinceState = 0;
      await output.message({
        type: 'STATE',
        state: {
          type: 'STREAM',
          stream: { stream_descriptor: stream, stream_state: streamState },
          sourceStats: { recordCount },
        },
      });
    },
    log: output.log,
    estimate: (estimate) =>
      output.message({
        type: 'TRACE',
        trace: { type: 'ESTIMATE', emitted_at: emittedAt, estimate: { ...stream, type: 'STREAM', ...estimate } },
      }),
  };
}

function placeOf({ name, namespace }: StreamDescriptor): { stream: string; namespace?: string } {
  return namespace === undefined || namespace === null ? { stream: name } : { stream: name, namespace };
}

/** The same for the same schema. */
function schemaId(schema: JsonSchema): string {
  return createHash('sha256')
    .update(JSON.stringify(schema ?? {}))
    .digest('hex')
    .slice(0, SCHEMA_ID_CHARS);
}

/** The descriptor of a stream; a namespace is named only if there is one. */
function descriptorOf({ name, namespace }: StreamDescriptor): StreamDescriptor {
  return namespace === undefined || namespace === null || namespace === '' ? { name } : { name, namespace };
}

function stateOf(states: readonly State[], stream: StreamDescriptor): unknown {
  const same = ({ name, namespace }: StreamDescriptor) =>
    name === stream.name && (namespace ?? '') === (stream.namespace ?? '');
  return states.find((state) => state.stream !== undefined && same(state.stream.stream_descriptor))?.stream
    ?.stream_state;
}
