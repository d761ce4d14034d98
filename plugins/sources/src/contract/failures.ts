import type { FAILURE_ORIGINS } from '@weir/kernel/contract';

/** One way in which a discovery or sync of this plugin can fail, beside what connectors and tables report. */
interface FailureEntry {
  origin: (typeof FAILURE_ORIGINS)[number];
  retryable: boolean;
  detail: string;
  hint: string;
}

/** The failure codes of this plugin's runs. */
export const SOURCE_FAILURES = {
  no_streams_found: {
    origin: 'config',
    retryable: false,
    detail: 'The connector found no stream with this configuration.',
    hint: 'Check what the configuration points at.',
  },
  stream_names_ambiguous: {
    origin: 'source',
    retryable: false,
    detail: 'The connector describes two streams of one name in different namespaces.',
    hint: 'Narrow the configuration to one namespace.',
  },
  stream_names_unusable: {
    origin: 'source',
    retryable: false,
    detail: 'The connector describes a stream whose name, namespace or keys are empty, too long or not plain text.',
    hint: 'Leave that stream out by the configuration, or rename it at the source.',
  },
  catalog_too_large: {
    origin: 'source',
    retryable: false,
    detail: 'The connector describes more streams than one source can hold.',
    hint: 'Narrow the configuration, or make several sources.',
  },
  connector_engine_absent: {
    origin: 'config',
    retryable: false,
    detail: 'There is no container engine here, and images of others run in containers alone.',
    hint: 'Install the connector engine, or start the development platform with that of Docker: docs/how-to/use-a-published-connector.md has the two lines.',
  },
  not_a_connector: {
    origin: 'config',
    retryable: false,
    detail: 'The image does not answer `spec` as a source connector does.',
    hint: 'Name the image of a connector of the Airbyte protocol. A Singer tap becomes one by the Singer bridge: docs/how-to/run-a-singer-tap.md.',
  },
  connector_is_destination: {
    origin: 'config',
    retryable: false,
    detail: 'The image is a destination: it writes, and sources are read from.',
    hint: 'Name the image of a source connector.',
  },
  spec_too_large: {
    origin: 'source',
    retryable: false,
    detail: 'The specification that the connector tells is larger than one may be.',
    hint: 'Use another version of the connector.',
  },
  pattern_missing: {
    origin: 'platform',
    retryable: false,
    detail: 'The connector pattern of this source is not installed here.',
    hint: 'Install the pattern again, or make a new source from another one.',
  },
  catalog_holds_credential: {
    origin: 'source',
    retryable: false,
    detail: 'The connector names a stream, a column or a setting with a credential of the source.',
    hint: 'Nothing of the description was kept. Use another connector, and rotate the credential.',
  },
  connector_spoke_of_credential: {
    origin: 'source',
    retryable: false,
    detail: 'The connector failed, and all that it says of why is a credential of the source.',
    hint: 'Nothing of it was kept. Test the credential by other means.',
  },
  state_holds_credential: {
    origin: 'source',
    retryable: false,
    detail: 'The connector put a credential of the source into the state of a stream, where it would be stored.',
    hint: 'Nothing behind the last state without it was kept. Use another connector, and rotate the credential.',
  },
  rotated_credential_not_kept: {
    origin: 'platform',
    retryable: false,
    detail: 'The connector renewed a credential of the source, and the renewed one could not be kept.',
    hint: 'Look whether the database and WEIR_CREDENTIAL_KEY_FILE are there, as workers need both, and give the source its credential again: the one before may not count any more.',
  },
  malformed_lines: {
    origin: 'source',
    retryable: false,
    detail: 'The connector sent rows that are not well-formed JSON in UTF-8.',
    hint: 'Repair the data at the source; everything up to the last commit is kept.',
  },
  rows_uncovered: {
    origin: 'source',
    retryable: false,
    detail: 'The connector sent rows behind the last state of a stream that it reads by states, and then ended.',
    hint: 'Those rows were not written, as every sync would write them again; the connector must send a state last.',
  },
  states_apart: {
    origin: 'config',
    retryable: false,
    detail: 'Streams of the source share one state of its connector, and their tables stand at different places of it.',
    hint: 'Reset the streams that were left out of earlier syncs, or all of them: a reset stream is read from the start.',
  },
  state_indivisible: {
    origin: 'config',
    retryable: false,
    detail:
      'Streams of the source share one indivisible state of its connector, so a new or reset stream cannot start alone.',
    hint: 'Reset all incremental streams of the source: all are read from the start and share a state again.',
  },
  credential_fields_undeclared: {
    origin: 'config',
    retryable: false,
    detail: 'The connector calls fields credentials that its pattern does not, so it was not given the configuration.',
    hint: 'Mark them in the pattern (airbyte_secret in its spec, or fields with credential: true), raise its version and register it; then give their values again, as credentials.',
  },
  state_kind_changed: {
    origin: 'source',
    retryable: true,
    detail:
      'The connector keeps a state for each stream where it kept one for all, and this stream is not its turn yet.',
    hint: 'Streams that stand at the old state are read first; the next attempt, or the next sync, goes on with this one.',
  },
  too_many_rejects: {
    origin: 'source',
    retryable: false,
    detail: 'More lines of a stream are no rows of its table than one sync may put into quarantine.',
    hint: 'Look into the quarantine of the dataset for why; WEIR_SYNC_MAX_REJECTED_ROWS sets the bound.',
  },
  table_contended: {
    origin: 'destination',
    retryable: true,
    detail: 'Other writers changed the table each time that rows were merged into it.',
    hint: 'Start the sync again when fewer writers work on the table; nothing of the batch was written.',
  },
  staging_failed: {
    origin: 'platform',
    retryable: true,
    detail: 'Rows could not be written as data files.',
    hint: 'Check free space and permissions of the work folder and the warehouse.',
  },
  rows_too_large: {
    origin: 'source',
    retryable: false,
    detail: 'Rows of this width do not fit into the memory of one sync.',
    hint: 'Select fewer columns, or shorten the longest values at the source.',
  },
  work_disk_full: {
    origin: 'platform',
    retryable: true,
    detail: 'The disk of the work folder or of the warehouse is full.',
    hint: 'Free space there and start the sync again; it goes on from the last commit.',
  },
  sync_process_lost: {
    origin: 'platform',
    retryable: true,
    detail: 'The process that carried out the sync ended without a result.',
    hint: 'Start it again; it goes on from the last commit.',
  },
  sync_process_hung: {
    origin: 'platform',
    retryable: true,
    detail: 'The process that carried out the sync gave no sign of life for a minute and was ended.',
    hint: 'It goes on from the last commit. If it happens again, look whether the disk of the work folder answers and whether the host of the worker has memory left.',
  },
  worker_lost: {
    origin: 'platform',
    retryable: true,
    detail: 'The worker that carried out the run was lost, or the run took too long.',
    hint: 'Start it again; it goes on from the last commit.',
  },
  no_lane: {
    origin: 'platform',
    retryable: true,
    detail: 'Other syncs of the tenant had all of its lanes for more than a day.',
    hint: 'End or cancel some of them, or have WEIR_SYNC_LANES_PER_TENANT raised, then start it again.',
  },
  worker_stopping: {
    origin: 'platform',
    retryable: true,
    detail: 'The worker is stopping and hands the run back.',
    hint: 'Another worker takes it over from the last commit.',
  },
  run_failed: {
    origin: 'platform',
    retryable: true,
    detail: 'The run failed for a reason that the platform does not know.',
    hint: 'The logs of the worker name the cause under the run id.',
  },
} as const satisfies Record<string, FailureEntry>;
export type SourceFailureCode = keyof typeof SOURCE_FAILURES;
