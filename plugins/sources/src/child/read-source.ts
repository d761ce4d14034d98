import { join } from 'node:path';
import {
  type ConnectorProcess,
  createSpool,
  platformFailure,
  readSync,
  type Scrubber,
  type SealedSegment,
  type Spool,
  type StreamReading,
  streamOfKey,
  syncDeadlines,
} from '@weir/connector-runtime';
import { hasLongNumber, SPOOL_HEAD_BYTES } from '@weir/plugin-datasets/stage';
import type { Failure } from '@weir/work';
import { type SeenFailure, scrubbedFailure, sourceFailure, verdictFailure } from '../model/failure/failure.ts';
import { withLateHint } from '../model/failure/late-hint.ts';
import type { ChildLog } from '../model/log/child-log.ts';
import type { ChildPlan, ChildStream, FromChild, Progress } from '../model/process/messages.ts';
import { attemptScrubbers, learnRenewed } from '../model/scrub/attempt-scrubbers.ts';
import { keepNotes, type NoteKeeper } from './keep-notes.ts';

const PROGRESS_EVERY_MS = 500;
/** A connector that is held back for longer is told of. */
const LONG_WAIT_MS = 2_000;
const MS_PER_SECOND = 1_000;

export interface ReadDeps {
  plan: ChildPlan;
  connector: ConnectorProcess;
  /** Where sealed segments are kept until the parent lets them go. */
  segments: Map<number, SealedSegment>;
  send(message: FromChild): void;
  log: Pick<ChildLog, 'said' | 'write' | 'learn'>;
}

/**
 * Reads the connector to its end: tells of every sealed segment in order, then of how the streams have ended. Rejects
 * when the spool failed.
 */
export async function readSource({ plan, connector, segments, send, log }: ReadDeps): Promise<void> {
  const spool = createSpool({
    dir: join(plan.workDir, 'spool'),
    sealAfterMs: plan.commitAfterMs,
    headBytes: SPOOL_HEAD_BYTES,
    detect: hasLongNumber,
  });
  const scrubbers = attemptScrubbers(plan.secrets);
  const notes = keepNotes(scrubbers.text.text);
  const watched = watchSpool(toldOfWaits(spool, log), { streams: plan.streams, credentials: scrubbers.sure, notes });
  const learn = learnRenewed(JSON.parse(plan.config), [scrubbers, log]);
  const idOf = new Map(plan.streams.map(({ key, streamId }) => [key, streamId]));
  const tell = async (): Promise<void> => {
    let id = 0;
    for await (const segment of spool.segments()) {
      id += 1;
      segments.set(id, segment);
      const { state, replacedFiles, final: isFinal } = segment;
      const stream = idOf.get(segment.stream) ?? '';
      const hasRows = segment.path !== undefined || segment.rejected.length > 0;
      const isShared = state !== undefined && watched.isShared();
      const covered = notes.at(segment.stream, state);
      send({
        type: 'event',
        event: { type: 'sealed', segment: { id, stream, hasRows, replacedFiles, state, isShared, isFinal } },
        ...(covered === undefined ? {} : { notes: covered }),
      });
    }
  };
  const reportAll = () => {
    send({ type: 'progress', streams: watched.progress });
    const streams = Object.fromEntries([...notes.fresh()].map(([key, noted]) => [idOf.get(key) ?? '', noted]));
    if (Object.keys(streams).length > 0) send({ type: 'noted', streams });
  };
  const report = setInterval(reportAll, PROGRESS_EVERY_MS);
  try {
    const streams = plan.streams.map((stream) => streamOfKey(stream.key));
    const reading = readSync({
      connector,
      streams,
      spool: watched.spool,
      onSaid: log.said,
      onNote: notes.take,
      lastPosition: plan.lastPosition,
      deadlines: syncDeadlines(plan.connectorSilenceMs),
      onRotated: (config) => {
        learn(config);
        send({ type: 'rotated', config });
      },
    });
    const [{ streams: readings, isHeld }] = await Promise.all([reading, tell()]);
    reportAll();
    const failures = Object.fromEntries(
      plan.streams.map(({ key, streamId, isStateful }) => {
        const held = isHeld && isStateful ? verdictFailure(platformFailure('other_stream_failed')) : undefined;
        const failure = failureOf(readings.get(key)) ?? watched.failures[streamId] ?? held;
        return [streamId, failure && scrubbedFailure(failure, scrubbers.text)];
      }),
    );
    send({ type: 'event', event: { type: 'read', failures } });
  } finally {
    clearInterval(report);
  }
}

/** The spool, telling when it has held the connector back for long. */
function toldOfWaits(spool: Spool, log: Pick<ChildLog, 'write'>): Spool {
  return {
    ...spool,
    async ready() {
      const since = performance.now();
      await spool.ready();
      const seconds = Math.round((performance.now() - since) / MS_PER_SECOND);
      if (seconds * MS_PER_SECOND < LONG_WAIT_MS) return;
      const message = `the connector was held back for ${seconds} s: rows come faster than they are stored`;
      log.write({ level: 'info', step: 'back-pressure', message, fields: { seconds } });
    },
  };
}

function failureOf(reading: StreamReading | undefined): SeenFailure | undefined {
  return reading?.verdict.outcome === 'failure' ? withLateHint(verdictFailure(reading.verdict), 'sync') : undefined;
}

interface WatchDeps {
  streams: readonly ChildStream[];
  credentials: Scrubber;
  notes: NoteKeeper;
}

interface Watched {
  spool: Spool;
  /** Whether the states that were told are for all streams. */
  isShared(): boolean;
  progress: Record<string, Progress>;
  failures: Record<string, Failure | undefined>;
}

/**
 * The spool, noting how much of each stream has arrived. What a stream that tells states sends behind its last one is
 * not kept, as the next sync reads it again; a stream that ends well all the same has broken the protocol. A state with a
 * credential in it is none, and its stream fails.
 */
function watchSpool(spool: Spool, { streams, credentials, notes }: WatchDeps): Watched {
  const failures: Watched['failures'] = {};
  const seen = new Map(
    streams.map((stream) => [stream.key, { ...stream, hasState: false, sinceState: 0, count: { rows: 0, bytes: 0 } }]),
  );
  const note = (key: string, rows: number, bytes: number): void => {
    const stream = seen.get(key);
    if (stream === undefined) return;
    stream.sinceState += rows;
    stream.count.rows += rows;
    stream.count.bytes += bytes;
  };
  /** Notes a state of these streams; not one that holds a credential. */
  const marks = (keys: readonly string[], state: string): boolean => {
    const marked = keys.flatMap((key) => seen.get(key) ?? []);
    const isTold = credentials.finds(state);
    for (const stream of marked) {
      if (isTold) failures[stream.streamId] = sourceFailure('state_holds_credential');
      else Object.assign(stream, { hasState: true, sinceState: 0 });
    }
    return !isTold;
  };
  let isShared = false;
  const watched: Spool = {
    ...spool,
    write(key, lines, count) {
      note(key, count, lines.byteLength);
      spool.write(key, lines, count);
    },
    take(key, file) {
      spool.take(key, file);
      note(key, file.rows, file.bytes);
    },
    reject(key, reason) {
      note(key, 1, 0);
      spool.reject(key, reason);
    },
    // Without states to read on from, all rows come again: they are added, or take the place of the whole table.
    replaceFile(key, file) {
      if (seen.get(key)?.isStateful) spool.replaceFile(key, file);
    },
    mark(key, state) {
      if (!marks([key], state)) return;
      notes.mark(key, state);
      spool.mark(key, state);
    },
    markAll(keys, state) {
      isShared = true;
      if (!marks(keys, state)) return;
      for (const key of keys) notes.mark(key, state);
      spool.markAll(keys, state);
    },
    finish(key, rows) {
      const stream = seen.get(key);
      const isCut = stream?.isStateful === true && stream.hasState;
      if (isCut && rows === 'all' && stream.sinceState > 0) {
        failures[stream.streamId] ??= sourceFailure('rows_uncovered');
      }
      const hasFailed = stream !== undefined && failures[stream.streamId] !== undefined;
      const taken = isCut || hasFailed ? 'until-last-state' : rows;
      if (taken !== 'all') notes.cut(key);
      spool.finish(key, taken);
    },
  };
  const progress = Object.fromEntries([...seen.values()].map(({ streamId, count }) => [streamId, count]));
  return { spool: watched, isShared: () => isShared, progress, failures };
}
