import type {
  Catalog,
  ConfiguredStream,
  ConnectorSpec,
  JsonSchema,
  LogLevel,
  ReadNote,
  StreamDescriptor,
  TraceEstimate,
} from './protocol.ts';
import type { WriteSegment } from './segment-lane.ts';

/** What a source's `read` may say about its stream. Each call resolves when the reader has room. */
export type Emit = {
  /** Finished RECORD lines of this stream, made with `recordEnvelope`, and how many they are. */
  readonly lines: (lines: Uint8Array, count: number) => Promise<void>;
  /** One record as a value, for sources that hold values. */
  readonly record: (data: Readonly<Record<string, unknown>>) => Promise<void>;
  /**
   * Many records as one Parquet file; undefined when the reader takes none, and then records go as lines. The file is
   * written when there is room for it. `too_large`: nothing was sent, as the file is over `MAX_SEGMENT_BYTES`; the caller
   * tries again with fewer records. Columns are named and typed as the stream's schema says; the reader judges each value.
   */
  readonly segment: ((write: WriteSegment, from?: RowsFrom) => Promise<'sent' | 'too_large'>) | undefined;
  /**
   * The same as a file of lines, each the data of one record: JSON in UTF-8 that ends with LF. Undefined when the reader takes
   * none. A line that is not a JSON object fails the sync.
   */
  readonly lineFile: Emit['segment'];
  /**
   * All rows of this file come before the next state, and take the place of those that it gave before, were there none now. Null
   * stands for rows that earlier syncs wrote without the name of their file.
   */
  readonly replaceFile: (file: string | null) => Promise<void>;
  /**
   * Says what the read did with files, or left out. Files that are read or gone count once a state behind the note, or the
   * end, is committed; everything else is of the newest attempt, which says all of it again.
   */
  readonly note: (note: Omit<ReadNote, 'stream' | 'namespace'>) => Promise<void>;
  /** Everything emitted so far is whole: reading may start again from this state. Counts the records by itself. */
  readonly state: (streamState: unknown) => Promise<void>;
  readonly log: (level: LogLevel, text: string) => Promise<void>;
  readonly estimate: (estimate: Pick<TraceEstimate, 'row_estimate' | 'byte_estimate'>) => Promise<void>;
};

/** The file that rows are from, by a name that no other file of the stream has. */
export type RowsFrom = { readonly file?: string | undefined };

export type ReadContext = {
  readonly config: unknown;
  readonly stream: ConfiguredStream;
  /** The `stream_state` that was stored for this stream; undefined on the first read and on a full refresh. */
  readonly state: unknown;
  readonly emit: Emit;
  /** Milliseconds since the epoch, one value for the whole run. */
  readonly emittedAt: number;
  /** Aborted when the connector is asked to stop: emit a last state if there is one, then return or throw. */
  readonly signal: AbortSignal;
};

/**
 * A source as four answers. Each may throw a SourceError: `check` then answers FAILED, `discover` and `read` give
 * a TRACE ERROR. `read` is called once a stream, in the catalog's order; one failed stream does not end the rest.
 */
export type Source = {
  readonly spec: ConnectorSpec;
  readonly check: (config: unknown) => Promise<void>;
  /** `log` says what is not in the answer, such as why one of several streams cannot be described. */
  readonly discover: (config: unknown, log: Emit['log']) => Promise<Catalog>;
  readonly read: (context: ReadContext) => Promise<void>;
  /** For streams that can only be read in one go, such as tables whose changes stand in one log. */
  readonly together?: Together;
};

/** Streams that are read at the same time, behind all others. */
export type Together = {
  readonly isMember: (config: unknown, stream: ConfiguredStream) => boolean;
  /**
   * Reads them. `end` ends one before the others: complete, or with its error, which does not end the rest. Those that are open
   * when `read` resolves are complete; when it throws, the error is that of all that are open.
   */
  readonly read: (contexts: readonly ReadContext[], end: EndStream) => Promise<void>;
};

export type EndStream = (context: ReadContext, error?: unknown) => Promise<void>;

/** Types a source where it is written. */
export function defineSource(source: Source): Source {
  return source;
}

/**
 * The bytes around a record's `data` object, in the key order that a reader's fast way knows: the namespace stands
 * before the data and `emitted_at` closes the line, but for the file of the row where it is from one.
 */
export function recordEnvelope(
  stream: StreamDescriptor,
  emittedAt: number,
  { file }: RowsFrom = {},
): { prefix: string; suffix: string } {
  const { name, namespace } = stream;
  const own = namespace === undefined || namespace === null ? '' : `"namespace":${JSON.stringify(namespace)},`;
  return {
    prefix: `{"type":"RECORD","record":{${own}"stream":${JSON.stringify(name)},"data":`,
    suffix: `,"emitted_at":${emittedAt}${file === undefined ? '' : `,"meta":{"file":${JSON.stringify(file)}}`}}}\n`,
  };
}

/**
 * The schema of an object with these members. Programs that read it move names which are whole numbers to the front; where
 * that changes the order, our own keyword `weir_order` lists the names as they were.
 */
export function objectSchema(members: Iterable<readonly [name: string, schema: JsonSchema]>): JsonSchema {
  const ordered = new Map(members);
  const properties = Object.fromEntries(ordered);
  const names = [...ordered.keys()];
  const isKept = Object.keys(properties).every((name, index) => name === names[index]);
  return { type: 'object', properties, ...(isKept ? {} : { weir_order: names }) };
}
