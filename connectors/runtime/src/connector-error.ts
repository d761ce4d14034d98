import type { FailureOrigin } from '@weir/connector-sdk';

/** What the outside of a connector can fail with, and what to do then. No text holds an input, a record or a path of an input. */
export const CONNECTOR_ERRORS = {
  connector_runtime_unavailable: {
    origin: 'platform',
    retryable: true,
    message: 'The connector runtime is not available',
    hint: 'Have the operator look with the connectors doctor at what does not hold: nothing takes the place of the engine.',
  },
  connector_image_invalid: {
    origin: 'platform',
    retryable: false,
    message: 'The connector image reference is invalid',
    hint: 'Set the image of the pattern to registry/path:tag, or to registry/path@sha256:….',
  },
  connector_image_missing: {
    origin: 'platform',
    retryable: false,
    message: 'The registry has no such connector image',
    hint: 'Check the name, tag and digest of the image in the pattern; a tag or digest that was removed must be published again.',
  },
  connector_registry_closed: {
    origin: 'config',
    retryable: false,
    message: 'The image is not in the engine, and its registry is none that images may be taken from',
    hint: 'Put the image into the engine by hand (docker pull), or have the operator name its registry in WEIR_CONNECTOR_REGISTRIES.',
  },
  connector_image_too_large: {
    origin: 'config',
    retryable: false,
    message: 'The connector image is larger than images that are added may be',
    hint: 'Use a smaller image, put this one into the engine by hand, or have the operator raise WEIR_CONNECTOR_MAX_IMAGE_MIB.',
  },
  connector_image_denied: {
    origin: 'platform',
    retryable: false,
    message: 'The registry does not give the connector image to everyone',
    hint: 'Images are pulled without credentials: let the registry give this one to everyone, or put it into the engine by hand.',
  },
  connector_image_mismatch: {
    origin: 'platform',
    retryable: false,
    message: 'The connector image changed since discovery',
    hint: 'Discover the source again. If the old image was meant, publish it again.',
  },
  connector_image_unusable: {
    origin: 'platform',
    retryable: false,
    message: 'The connector image cannot be run here',
    hint: 'The image needs an ENTRYPOINT, a USER that it knows, and the architecture of this machine.',
  },
  connector_limits_refused: {
    origin: 'platform',
    retryable: false,
    message: 'The engine refuses the resources of the pattern',
    hint: 'Lower `resources.cpus` in the pattern to the number of cores of the engine host, and keep memory, cpus and pids above the minimum of the engine.',
  },
  image_declares_volumes: {
    origin: 'platform',
    retryable: false,
    message: 'The connector image declares volumes, which cannot be bounded',
    hint: 'Build the image without VOLUME: a connector writes to its temporary folder alone.',
  },
  connector_registry_unreachable: {
    origin: 'platform',
    retryable: true,
    message: 'The registry of the connector image cannot be reached',
    hint: 'Check the name of the registry, and that the engine of the worker reaches it.',
  },
  connector_registry_limited: {
    origin: 'platform',
    retryable: true,
    message: 'The registry of the connector image takes no more pulls for now',
    hint: 'Registries bound what is pulled without credentials. Start it again later, put the image into the engine by hand, or use a registry, or a mirror, without that bound.',
  },
  connector_pull_failed: {
    origin: 'platform',
    retryable: true,
    message: 'The connector image could not be pulled',
    hint: 'It is tried again. If it goes on, look into the log of the engine, and whether its disk is full.',
  },
  runtime_lost: {
    origin: 'platform',
    retryable: true,
    message: 'The container engine went away while the connector ran',
    hint: 'The next attempt reads on from the last commit, when the engine is back.',
  },
  runtime_incompatible: {
    origin: 'source',
    retryable: false,
    message: 'The connector runs programs from its temporary folder, which is not allowed',
    hint: 'Use an image whose connector unpacks no program code when it runs.',
  },
  connector_run_too_long: {
    origin: 'source',
    retryable: true,
    message: 'The connector ran longer than it may',
    hint: 'Look into the log of the run for what takes so long, and have it read less at once.',
  },
  connector_never_spoke: {
    origin: 'source',
    retryable: true,
    message: 'The connector said nothing after its start',
    hint: 'Look into the log of the run, and whether the source answers at all.',
  },
  connector_silent: {
    origin: 'source',
    retryable: true,
    message: 'The connector made no progress before the timeout',
    hint: 'Look into the log of the run for where it stopped, and whether the source answers.',
  },
  connector_image_unknown: {
    origin: 'platform',
    retryable: false,
    message: 'No connector is registered for this image',
    hint: 'Without a container engine only the connectors of the platform run: set SOURCE_SOCKET_DIR and DISCOVERY_SOCKET_DIR for others.',
  },
  connector_start_failed: {
    origin: 'platform',
    retryable: true,
    message: 'The connector could not be started',
    hint: 'It is tried again. If it goes on, the log of the worker, or of the engine, says why.',
  },
  connector_stopped: {
    origin: 'platform',
    retryable: true,
    message: 'The connector was stopped before it finished',
    hint: 'The worker stopped, or the run was cancelled: the next one reads on from the last commit.',
  },
  connector_out_of_memory: {
    origin: 'platform',
    retryable: true,
    message: 'The connector ran out of memory',
    hint: 'It is tried once more with twice the memory. If it goes on, give the pattern more memory_mib in resources, or read fewer streams at once.',
  },
  connector_disk_full: {
    origin: 'platform',
    retryable: true,
    message: 'The connector filled the disk that it may write to',
    hint: 'Give the pattern more tmp_mib in resources, or read fewer streams at once; if it hands over segments, have the operator make the workspace larger, the mount of WEIR_SOURCE_WORKSPACE_DIR: 320 MiB for each sync at once, and 512 MiB.',
  },
  connector_processes_exhausted: {
    origin: 'platform',
    retryable: true,
    message: 'The connector started as many processes as it may',
    hint: 'Give the pattern more pids in resources. One that forks without end is broken: use another version.',
  },
  workspace_unreadable: {
    origin: 'platform',
    retryable: true,
    message: 'The connector may not read its inputs',
    hint: 'The folder that workers write inputs to must have the group of the engine: have the operator run `systemd-tmpfiles --create weir-connector-engine.conf` on the machine of the worker, then the connectors doctor.',
  },
  connector_crashed: {
    origin: 'source',
    retryable: true,
    message: 'The connector ended by a signal',
    hint: 'Look into the log of the run for its last words; tell whoever makes the connector.',
  },
  connector_failed: {
    origin: 'source',
    retryable: true,
    message: 'The connector failed without saying why',
    hint: 'Look into the log of the run for its last words.',
  },
  connector_usage: {
    origin: 'platform',
    retryable: false,
    message: 'The connector refused its command line',
    hint: 'The image is no connector of this protocol, or of a version that is not known here: check the image of the pattern.',
  },
  connector_config_error: {
    origin: 'config',
    retryable: false,
    message: 'The connector refused its configuration',
    hint: 'Look into the log of the run for what it says of its settings, and compare them with the specification of the pattern.',
  },
  connector_transient_error: {
    origin: 'source',
    retryable: true,
    message: 'The source failed and may recover',
    hint: 'It is tried again. If it goes on, look into the log of the run.',
  },
  connector_system_error: {
    origin: 'source',
    retryable: true,
    message: 'The connector broke',
    hint: 'Look into the log of the run; tell whoever makes the connector.',
  },
  connector_spec_invalid: {
    origin: 'source',
    retryable: false,
    message: 'What the connector says of its configuration is no JSON schema of an object',
    hint: 'Use another version of the connector; its specification must be a JSON schema of an object.',
  },
  connector_check_failed: {
    origin: 'config',
    retryable: false,
    message: 'The connector cannot work with this configuration',
    hint: 'Correct what it names, such as an address, a credential or a permission; if its server failed, discover again later.',
  },
  connector_no_answer: {
    origin: 'source',
    retryable: true,
    message: 'The connector ended without the expected answer',
    hint: 'Look into the log of the run for its last words.',
  },
  other_stream_failed: {
    origin: 'source',
    retryable: true,
    message: 'Another stream of the same run failed',
    hint: 'See the stream that failed by itself; this one is read with the next attempt.',
  },
  stream_incomplete: {
    origin: 'source',
    retryable: true,
    message: 'The stream did not finish',
    hint: 'Look into the log of the run; what was committed of the stream is kept.',
  },
  stream_status_missing: {
    origin: 'source',
    retryable: true,
    message: 'The stream never reported that it is complete',
    hint: 'A connector must end each stream with COMPLETE. What was committed is kept; look into the log of the run.',
  },
  record_count_mismatch: {
    origin: 'source',
    retryable: true,
    message: 'The connector counted other records than arrived',
    hint: 'Rows were lost on the way, or counted wrongly: nothing behind the last state whose count was right is kept.',
  },
  output_truncated: {
    origin: 'source',
    retryable: true,
    message: 'The output ends in the middle of a line',
    hint: 'The connector broke off. The next attempt reads on from the last commit.',
  },
  line_too_large: {
    origin: 'source',
    retryable: false,
    message: 'A line of the output is over the limit',
    hint: 'One row may have 64 MiB: leave out the longest columns, or have lines that do not fit put into quarantine.',
  },
  malformed_record: {
    origin: 'source',
    retryable: false,
    message: 'A record line is not well formed',
    hint: 'Look into the log of the run; tell whoever makes the connector. Everything up to the last commit is kept.',
  },
  protocol_violation: {
    origin: 'source',
    retryable: false,
    message: 'The output breaks the connector protocol',
    hint: 'The connector sent a record of a stream that it was not asked for, or one that cannot be read. Everything up to the last commit is kept.',
  },
  state_of_other_stream: {
    origin: 'source',
    retryable: false,
    message: 'A state is of a stream that is not read',
    hint: 'The connector must tell states of the streams that it was asked for alone. Everything up to the last commit is kept.',
  },
  state_invalid: {
    origin: 'source',
    retryable: false,
    message: 'A state has nothing in it that could be given back',
    hint: 'A STATE names its stream and its state, or holds one for all streams. Everything up to the last commit is kept.',
  },
  state_types_mixed: {
    origin: 'source',
    retryable: false,
    message: 'The connector tells states of single streams and states for all streams in one run',
    hint: 'Which of them would count cannot be known: the connector must tell one kind. Everything up to the last commit is kept.',
  },
  state_too_large: {
    origin: 'source',
    retryable: false,
    message: 'A state is over 16 MiB',
    hint: 'Read less with one source, so that its connector has less to remember. Everything up to the last commit is kept.',
  },
  segment_invalid: {
    origin: 'source',
    retryable: false,
    message: 'A segment is not announced as it must be',
    hint: 'Tell whoever makes the connector. Everything up to the last commit is kept.',
  },
  segment_unsafe: {
    origin: 'source',
    retryable: false,
    message: 'A segment is not a plain file of its connector',
    hint: 'Nothing of the file was read. Use another connector: this one points out of its folder.',
  },
  segment_mismatch: {
    origin: 'source',
    retryable: true,
    message: 'A segment is not the Parquet file that was announced',
    hint: 'It is tried again. If it goes on, tell whoever makes the connector.',
  },
  segment_backlog: {
    origin: 'source',
    retryable: false,
    message: 'The connector holds more segments than it may before they are taken',
    hint: 'A connector waits while its segments have not been taken: tell whoever makes it.',
  },
  spool_failed: {
    origin: 'platform',
    retryable: true,
    message: 'The spool of the sync could not be written',
    hint: 'Check free space and permissions of WEIR_WORK_DIR.',
  },
} as const satisfies Record<string, { origin: FailureOrigin; retryable: boolean; message: string; hint: string }>;

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
