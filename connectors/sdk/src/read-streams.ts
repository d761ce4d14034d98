import { type Emit, recordEnvelope, type Source } from './define-source.ts';
import type { Output } from './output.ts';
import type { ConfiguredCatalog, ConfiguredStream, State, StreamDescriptor } from './protocol.ts';
import { toSourceError } from './source-error.ts';

export type ReadRun = {
  readonly config: unknown;
  readonly catalog: ConfiguredCatalog;
  readonly states: readonly State[];
  readonly emittedAt: number;
  readonly signal: AbortSignal;
};

/**
 * Reads every configured stream in turn: STARTED, RUNNING with the first record, then COMPLETE, or the error and
 * INCOMPLETE. Gives back whether all of them are complete. After an abort no further stream is begun.
 */
export async function readStreams(source: Source, run: ReadRun, output: Output): Promise<boolean> {
  let complete = true;
  for (const stream of run.catalog.streams) {
    if (run.signal.aborted) return false;
    complete = (await readStream(source, stream, run, output)) && complete;
  }
  return complete;
}

async function readStream(source: Source, stream: ConfiguredStream, run: ReadRun, output: Output): Promise<boolean> {
  const { config, emittedAt, signal } = run;
  const descriptor = descriptorOf(stream.stream);
  const state = stream.sync_mode === 'incremental' ? stateOf(run.states, descriptor) : undefined;
  await output.status(descriptor, 'STARTED');
  try {
    await source.read({ config, stream, state, emit: emitterOf(descriptor, emittedAt, output), emittedAt, signal });
  } catch (error) {
    if (!signal.aborted) await output.error(toSourceError(error), descriptor);
    await output.status(descriptor, 'INCOMPLETE');
    return false;
  }
  await output.status(descriptor, signal.aborted ? 'INCOMPLETE' : 'COMPLETE');
  return !signal.aborted;
}

function emitterOf(stream: StreamDescriptor, emittedAt: number, output: Output): Emit {
  const { prefix, suffix } = recordEnvelope(stream, emittedAt);
  let sinceState = 0;
  let running = false;
  const lines = async (bytes: Uint8Array, count: number) => {
    if (!running) await output.status(stream, 'RUNNING');
    running = true;
    sinceState += count;
    await output.bytes(bytes);
  };
  return {
    lines,
    record: (data) => lines(Buffer.from(`${prefix}${JSON.stringify(data)}${suffix}`), 1),
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
