/**
 * The Airbyte protocol, version 0, as plain types: what a connector prints on stdout, one JSON object a line.
 * Unknown members are allowed everywhere and must survive a round trip; a reader ignores message types it does not know.
 */

/** The JSON values that travel inside messages. Numbers are for reading small facts; exact text stays text. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON schema, as a connector declares it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** A stream's identity. `namespace` null, empty and absent are the same thing on the wire; absent here. */
export type StreamDescriptor = { readonly name: string; readonly namespace?: string | null };

export type SyncMode = 'full_refresh' | 'incremental';

/** One stream as discovery describes it. */
export type CatalogStream = {
  readonly name: string;
  readonly namespace?: string | null;
  readonly json_schema: JsonSchema;
  readonly supported_sync_modes: readonly SyncMode[];
  readonly source_defined_cursor?: boolean;
  readonly default_cursor_field?: readonly string[];
  readonly source_defined_primary_key?: readonly (readonly string[])[];
  readonly is_resumable?: boolean;
  readonly is_file_based?: boolean;
};

/** A stream that is there and cannot be described, and why, in words that quote no content. Ours, beside the protocol. */
export type UndescribedStream = {
  readonly name: string;
  readonly namespace?: string | null;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
};

/** A place in a file of a stream, and what stands there. */
export type LookPlace = { readonly file: string; readonly line?: number | undefined; readonly text: string };

/** Something that a person should know of a stream before it is loaded: how often it is seen, and its first places. */
export type LookNote = {
  /**
   * `kept_as_text`: values that keep a column from a type that the others have; `value_misfit`: values that do not fit the type
   * of their column; `order_open`: days that may be read two ways; `line_rejected`: lines that go to quarantine, by reason;
   * `header_like_row`: names that look like a row; `file_fails`: a file that cannot be read, by code.
   */
  readonly kind: 'kept_as_text' | 'value_misfit' | 'order_open' | 'line_rejected' | 'header_like_row' | 'file_fails';
  readonly column?: string;
  readonly reason?: string;
  /** What most values are, and how many. */
  readonly mostly?: string;
  readonly fits?: number;
  readonly count: number;
  readonly places: readonly LookPlace[];
};

/** How a file was read; what does not apply to its format is absent. */
export type LookFile = {
  readonly name: string;
  readonly format: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  /** The line that names the columns; absent where none does. */
  readonly header_line?: number;
};

/**
 * What a stream will be, for a person who looks before it is loaded: its first rows as they will be sent, each value as text.
 * Ours, beside the protocol; it quotes content, so only who asks by `LOOK_OFFER` is given it.
 */
export type StreamLook = {
  readonly name: string;
  readonly files: readonly LookFile[];
  /** How many records were looked at, and whether there are no more. */
  readonly records: number;
  readonly is_whole: boolean;
  /** How many of them are no rows. */
  readonly rejected: number;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly notes: readonly LookNote[];
};

/** Asks for `looks` of a catalog: the environment variable has this value. */
export const LOOK_OFFER = { variable: 'WEIR_STREAM_LOOK', value: 'stream-look/1' } as const;

export type Catalog = {
  readonly streams: readonly CatalogStream[];
  readonly undescribed?: readonly UndescribedStream[];
  readonly looks?: readonly StreamLook[];
};

/** One stream as the platform asks for it: discovery's stream copied verbatim, and how to read it. */
export type ConfiguredStream = {
  readonly stream: CatalogStream;
  readonly sync_mode: SyncMode;
  readonly destination_sync_mode: 'append' | 'overwrite' | 'append_dedup';
  readonly cursor_field?: readonly string[];
  readonly primary_key?: readonly (readonly string[])[];
  readonly generation_id?: number;
  readonly minimum_generation_id?: number;
  readonly sync_id?: number;
};

export type ConfiguredCatalog = { readonly streams: readonly ConfiguredStream[] };

export type ConnectorSpec = {
  readonly connectionSpecification: JsonSchema;
  readonly documentationUrl?: string;
  readonly protocol_version?: string;
};

/** The answer to `check`. All but `status` and `message` is ours, beside the protocol. */
export type ConnectionStatus = {
  readonly status: 'SUCCEEDED' | 'FAILED';
  readonly message?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly failure_type?: FailureType;
  readonly origin?: FailureOrigin;
  readonly retry_at?: string;
};

export type LogLevel = 'FATAL' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE';

/** How a failure is to be treated: the configuration is wrong, it may pass later, or the connector broke. */
export type FailureType = 'config_error' | 'transient_error' | 'system_error';

/** Who must act on a failure. Ours, beside the protocol: a stock connector does not send it. */
export type FailureOrigin = 'source' | 'config' | 'platform';

export type StreamStatus = 'STARTED' | 'RUNNING' | 'COMPLETE' | 'INCOMPLETE';

/** The error of a TRACE. Our connectors put a stable code into `internal_message`, and never an input value anywhere. */
export type TraceError = {
  readonly message: string;
  readonly internal_message?: string;
  readonly stack_trace?: string;
  readonly failure_type?: FailureType;
  readonly stream_descriptor?: StreamDescriptor;
  readonly hint?: string;
  readonly origin?: FailureOrigin;
  /** RFC 3339, in UTC: before this time the source takes no work. Ours. */
  readonly retry_at?: string;
};

/** An announcement of progress to come; it may exceed what is read, so it feeds progress displays only. */
export type TraceEstimate = {
  readonly name: string;
  readonly namespace?: string | null;
  readonly type: 'STREAM' | 'SYNC';
  readonly row_estimate?: number;
  readonly byte_estimate?: number;
};

export type Trace =
  | { readonly type: 'ERROR'; readonly emitted_at: number; readonly error: TraceError }
  | {
      readonly type: 'STREAM_STATUS';
      readonly emitted_at: number;
      readonly stream_status: { readonly stream_descriptor: StreamDescriptor; readonly status: StreamStatus };
    }
  | { readonly type: 'ESTIMATE'; readonly emitted_at: number; readonly estimate: TraceEstimate }
  | {
      readonly type: 'ANALYTICS';
      readonly emitted_at: number;
      readonly analytics?: { readonly type: string; readonly value?: string | null };
    };

/** The type of the analytics that say what a read passes over. Ours. The value is the JSON text of `ReadNote`. */
export const READ_NOTE = 'weir_read_note';

/** What a read notes: of a stream's files each that it lists is read, unchanged or left out. */
export const READ_NOTE_KINDS = ['file_read', 'file_unchanged', 'file_left_out', 'file_gone', 'rows_left_out'] as const;
export type ReadNoteKind = (typeof READ_NOTE_KINDS)[number];

/** What a read of a stream did with files, or left out, and how often. */
export type ReadNote = {
  readonly stream: string;
  readonly namespace?: string | null;
  readonly kind: ReadNoteKind;
  readonly count: number;
  /** The first of them. */
  readonly file?: string;
  /** Why, in lower snake case. */
  readonly code?: string;
  /** Why, and what to do about it, for people. */
  readonly message?: string;
};

/**
 * The type of the analytics that say that rows of a file are replaced. Ours; other readers pass them over. The value is
 * the JSON text of `ReplacedFile`.
 */
export const FILE_REPLACED = 'weir_file_replaced';

/** A file whose rows of before go with the stream's next STATE; null: rows without the name of their file. */
export type ReplacedFile = {
  readonly stream: string;
  readonly namespace?: string | null;
  readonly file: string | null;
};

/** A checkpoint. `type` absent means LEGACY. `sourceStats.recordCount` counts records since the stream's last STATE. */
export type State = {
  readonly type?: 'STREAM' | 'GLOBAL' | 'LEGACY';
  readonly stream?: { readonly stream_descriptor: StreamDescriptor; readonly stream_state?: unknown };
  readonly global?: unknown;
  readonly data?: unknown;
  readonly sourceStats?: { readonly recordCount?: number };
};

/**
 * A file of records that the connector has finished in the folder that it was given: its name there, how many records and
 * bytes it has, and the hexadecimal SHA-256 of the bytes. As `jsonl` each line is the data of one record and ends with LF. `schema_id` is the same for files written for the
 * same schema of the stream. `emitted_at`, in milliseconds since 1970, is of all its records.
 */
export type SegmentFacts = {
  readonly stream: string;
  readonly namespace?: string | null;
  readonly file: string;
  readonly format: SegmentFormat;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly schema_id: string;
  readonly emitted_at?: number;
  /** The source's file that all its records are from, if they are from one. */
  readonly source_file?: string;
};

/** Parquet for readers of any age; lines of JSON where the reader offers to take them. */
export type SegmentFormat = 'parquet' | 'jsonl';

/** Everything that is not a RECORD. RECORD lines are bytes on both sides and have no type here on purpose. */
export type Message =
  | { readonly type: 'SPEC'; readonly spec: ConnectorSpec }
  | { readonly type: 'CONNECTION_STATUS'; readonly connectionStatus: ConnectionStatus }
  | { readonly type: 'CATALOG'; readonly catalog: Catalog }
  | { readonly type: 'STATE'; readonly state: State }
  | { readonly type: 'SEGMENT'; readonly segment: SegmentFacts }
  | {
      readonly type: 'LOG';
      readonly log: { readonly level: LogLevel; readonly message: string; readonly stack_trace?: string };
    }
  | { readonly type: 'TRACE'; readonly trace: Trace }
  | {
      readonly type: 'CONTROL';
      readonly control: {
        readonly type: string;
        readonly emitted_at: number;
        readonly connectorConfig?: { readonly config: JsonSchema };
      };
    };

/**
 * The offer to take records as files, beside RECORD lines: the first environment variable has this value, the second names
 * a folder. The connector puts a finished file there and announces it by a SEGMENT line; the reader deletes it once it has
 * its copy, and that is the acknowledgement. A connector that does not know the offer sends RECORDs. The third variable
 * lists what files may be; without it they are Parquet.
 */
export const SEGMENT_OFFER = {
  channel: 'segment-file/1',
  channelVariable: 'WEIR_DATA_CHANNEL',
  folderVariable: 'WEIR_SEGMENT_DIR',
  formatsVariable: 'WEIR_SEGMENT_FORMATS',
  formats: 'parquet,jsonl',
} as const;

/** The largest segment. */
export const MAX_SEGMENT_BYTES = 64 * 1024 * 1024;

/** How many announced segments may wait for their acknowledgement before the connector goes on. */
export const MAX_UNACKNOWLEDGED_SEGMENTS = 4;

/** Exit codes of a connector program. */
export const EXIT = { ok: 0, failed: 1, usage: 2, stopped: 143 } as const;

/** The shape of a stable error code. */
export const CODE_PATTERN = /^[a-z][a-z0-9_]{2,63}$/;
