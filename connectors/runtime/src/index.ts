/** Door of the connector runtime: the outside of a connector. */
export { CONNECTOR_ERRORS, ConnectorError, type ConnectorErrorCode } from './connector-error.ts';
export {
  type ConnectorExit,
  type ConnectorInputs,
  type ConnectorLabels,
  type ConnectorLimits,
  type ConnectorProcess,
  type ConnectorRun,
  type ConnectorRuntime,
  type ConnectorVerb,
  type PullProgress,
  type RunImage,
  type SegmentFolder,
  STDERR_TAIL_BYTES,
  STOP_GRACE_MS,
} from './connector-runtime.ts';
export {
  type ContainerRuntime,
  type ContainerRuntimeOptions,
  containerRuntime,
} from './container/container-runtime.ts';
export { DEFAULT_LIMITS, LABEL } from './container/create-options.ts';
export { loadEngineLibrary } from './container/engine-client.ts';
export { makeEngineFolder } from './container/engine-workspace.ts';
export { type ImageReference, parseImageReference } from './container/image-reference.ts';
export { type EngineFacts, type EngineWaiver, engineWaivers } from './container/readiness.ts';
export type { IsLive, Reaped } from './container/reap-runs.ts';
export { answerDeadlines, DEFAULT_DEADLINES, type Deadlines, syncDeadlines } from './deadlines.ts';
export { MAX_STATE_CHARS, type StreamReading } from './evidence.ts';
export { type ProcessConnector, type ProcessRuntimeOptions, processRuntime } from './process-runtime.ts';
export {
  type Answer,
  type AnswerOptions,
  type AnswerType,
  type Collected,
  collectMessages,
  readAnswer,
  readCheck,
} from './read-answer.ts';
export { type ReadSyncOptions, readSync, type SyncReading } from './read-sync.ts';
export { READER_FLAGS } from './reader-flags.ts';
export { createRouter, MAX_LINE_BYTES, type Router, type RouterOptions } from './router.ts';
export { createScrubber, MIN_SCRUBBED_CHARS, SCRUBBED, type Scrubber } from './scrub/scrubber.ts';
export { leaves } from './scrub/value-spellings.ts';
export { holdsOneForAll, isDivisible, lastPosition, placeIn, standTogether, stateFile } from './shared-state.ts';
export {
  createSpool,
  type FileRows,
  MAX_WAITING_SEGMENTS,
  SEAL_AFTER_MS,
  SEGMENT_BYTES,
  type Spool,
  type SpoolOptions,
} from './spool.ts';
export type { RejectedLine, SealedSegment } from './spool-queue.ts';
export { type StreamKey, streamKey, streamOfKey } from './stream-key.ts';
export {
  type Failure,
  MAX_HINT_CHARS,
  platformFailure,
  type RunEvidence,
  runFailure,
  type StreamEvidence,
  traceFailure,
  type Verdict,
  verdictOf,
} from './verdict.ts';
