import type { FailureOrigin } from '@weir/connector-sdk';

/** What the outside of a connector can fail with. Messages never hold an input, a record or a path of an input. */
export const CONNECTOR_ERRORS = {
  connector_runtime_unavailable: {
    origin: 'platform',
    retryable: true,
    message: 'The connector runtime is not available',
  },
  connector_image_invalid: { origin: 'platform', retryable: false, message: 'The name of the connector image is none' },
  connector_image_missing: {
    origin: 'platform',
    retryable: false,
    message: 'The registry has no such connector image',
  },
  connector_image_denied: {
    origin: 'platform',
    retryable: false,
    message: 'The registry does not give the connector image to everyone',
  },
  connector_image_mismatch: {
    origin: 'platform',
    retryable: false,
    message: 'The connector image is another one than discovery has run',
  },
  connector_image_unusable: {
    origin: 'platform',
    retryable: false,
    message: 'The connector image cannot be run here',
  },
  image_declares_volumes: {
    origin: 'platform',
    retryable: false,
    message: 'The connector image declares volumes, which cannot be bounded',
  },
  connector_registry_unreachable: {
    origin: 'platform',
    retryable: true,
    message: 'The registry of the connector image cannot be reached',
  },
  connector_pull_failed: { origin: 'platform', retryable: true, message: 'The connector image could not be pulled' },
  runtime_lost: {
    origin: 'platform',
    retryable: true,
    message: 'The container engine went away while the connector ran',
  },
  runtime_incompatible: {
    origin: 'source',
    retryable: false,
    message: 'The connector runs programs from its temporary folder, which is not allowed',
  },
  connector_run_too_long: { origin: 'source', retryable: true, message: 'The connector ran longer than it may' },
  connector_never_spoke: { origin: 'source', retryable: true, message: 'The connector said nothing after its start' },
  connector_silent: {
    origin: 'source',
    retryable: true,
    message: 'The connector has sent neither a record nor a state for too long',
  },
  connector_image_unknown: {
    origin: 'platform',
    retryable: false,
    message: 'No connector is registered for this image',
  },
  connector_start_failed: { origin: 'platform', retryable: true, message: 'The connector could not be started' },
  connector_stopped: { origin: 'platform', retryable: true, message: 'The connector was stopped before it finished' },
  connector_out_of_memory: { origin: 'platform', retryable: true, message: 'The connector ran out of memory' },
  connector_crashed: { origin: 'source', retryable: true, message: 'The connector ended by a signal' },
  connector_failed: { origin: 'source', retryable: true, message: 'The connector failed without saying why' },
  connector_usage: { origin: 'platform', retryable: false, message: 'The connector refused its command line' },
  connector_config_error: { origin: 'config', retryable: false, message: 'The connector refused its configuration' },
  connector_transient_error: { origin: 'source', retryable: true, message: 'The source failed and may recover' },
  connector_system_error: { origin: 'source', retryable: true, message: 'The connector broke' },
  connector_spec_invalid: {
    origin: 'source',
    retryable: false,
    message: 'What the connector says of its configuration is no JSON schema of an object',
  },
  connector_no_answer: {
    origin: 'source',
    retryable: true,
    message: 'The connector ended without the expected answer',
  },
  other_stream_failed: { origin: 'source', retryable: true, message: 'Another stream of the same run failed' },
  stream_incomplete: { origin: 'source', retryable: true, message: 'The stream did not finish' },
  stream_status_missing: {
    origin: 'source',
    retryable: true,
    message: 'The stream never reported that it is complete',
  },
  record_count_mismatch: {
    origin: 'source',
    retryable: true,
    message: 'The connector counted other records than arrived',
  },
  output_truncated: { origin: 'source', retryable: true, message: 'The output ends in the middle of a line' },
  line_too_large: { origin: 'source', retryable: false, message: 'A line of the output is over the limit' },
  malformed_record: { origin: 'source', retryable: false, message: 'A record line is not well formed' },
  protocol_violation: { origin: 'source', retryable: false, message: 'The output breaks the connector protocol' },
  segment_invalid: { origin: 'source', retryable: false, message: 'A segment is not announced as it must be' },
  segment_unsafe: { origin: 'source', retryable: false, message: 'A segment is not a plain file of its connector' },
  segment_mismatch: {
    origin: 'source',
    retryable: true,
    message: 'A segment is not the Parquet file that was announced',
  },
  segment_backlog: {
    origin: 'source',
    retryable: false,
    message: 'The connector holds more segments than it may before they are taken',
  },
  spool_failed: { origin: 'platform', retryable: true, message: 'The spool of the sync could not be written' },
} as const satisfies Record<string, { origin: FailureOrigin; retryable: boolean; message: string }>;

export type ConnectorErrorCode = keyof typeof CONNECTOR_ERRORS;

/** A failure outside of a connector's own reports, with what a caller needs to decide on a retry. */
export class ConnectorError extends Error {
  readonly code: ConnectorErrorCode;
  readonly origin: FailureOrigin;
  readonly retryable: boolean;
  /** Which condition does not hold, as a stable word; of `connector_runtime_unavailable` alone. */
  readonly reason: string | undefined;

  constructor(code: ConnectorErrorCode, options: { cause?: unknown; reason?: string | undefined } = {}) {
    super(CONNECTOR_ERRORS[code].message, options);
    this.reason = options.reason;
    this.name = 'ConnectorError';
    this.code = code;
    this.origin = CONNECTOR_ERRORS[code].origin;
    this.retryable = CONNECTOR_ERRORS[code].retryable;
  }
}
