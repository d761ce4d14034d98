/** Door of the connector SDK: the inside of a connector, and the protocol's words for both sides. */
export { type Arguments, parseArguments, USAGE } from './arguments.ts';
export { type CalendarDate, dateOfDays, daysOfDate } from './calendar.ts';
export {
  defineSource,
  type Emit,
  type EndStream,
  objectSchema,
  type ReadContext,
  type RowsFrom,
  recordEnvelope,
  type Source,
  type Together,
} from './define-source.ts';
export { parseExact } from './exact-json.ts';
export { type Fault, KIT_FAULTS } from './kit-faults.ts';
export { createOutput, type Output } from './output.ts';
export type {
  Catalog,
  CatalogStream,
  ConfiguredCatalog,
  ConfiguredStream,
  ConnectionStatus,
  ConnectorSpec,
  FailureOrigin,
  FailureType,
  Json,
  JsonSchema,
  LogLevel,
  LookFile,
  LookNote,
  LookPlace,
  Message,
  ReadNote,
  ReadNoteKind,
  ReplacedFile,
  SegmentFacts,
  SegmentFormat,
  State,
  StreamDescriptor,
  StreamLook,
  StreamStatus,
  SyncMode,
  Trace,
  TraceError,
  TraceEstimate,
  UndescribedStream,
} from './protocol.ts';
export {
  CODE_PATTERN,
  EXIT,
  FILE_REPLACED,
  LOOK_OFFER,
  MAX_SEGMENT_BYTES,
  MAX_UNACKNOWLEDGED_SEGMENTS,
  READ_NOTE,
  READ_NOTE_KINDS,
  SEGMENT_OFFER,
} from './protocol.ts';
export { type ProcessStreams, runSource, STOP_FLUSH_MS } from './run-source.ts';
export type { WriteSegment } from './segment-lane.ts';
export { failedCheck, SourceError, type SourceErrorOptions, toSourceError } from './source-error.ts';
export { watchStdinLease } from './stdin-lease.ts';
