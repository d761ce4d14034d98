import { type FailureOrigin, type FailureType, SourceError } from '@weir/connector-sdk';
import { CHANGE_FAULTS } from './fault-changes.ts';

export type Fault = {
  readonly type: FailureType;
  readonly origin: FailureOrigin;
  readonly message: string;
  readonly hint: string;
};

/** Everything this connector fails with, beside the faults of change data. Hints tell what to do and quote no value. */
export const FAULTS = {
  ...CHANGE_FAULTS,
  config_invalid: {
    type: 'config_error',
    origin: 'config',
    message: 'The configuration does not have the shape that the specification asks for',
    hint: 'Give host, database, username and password; everything else has a default.',
  },
  address_invalid: {
    type: 'config_error',
    origin: 'config',
    message: 'The host is neither a name nor an address',
    hint: 'Give the name or the address alone, without protocol, port or path.',
  },
  address_refused: {
    type: 'config_error',
    origin: 'platform',
    message: 'The host is in a network that connectors may not reach',
    hint: 'The operator opens private networks with WEIR_EGRESS_ALLOW.',
  },
  egress_setting_invalid: {
    type: 'system_error',
    origin: 'platform',
    message: 'A setting of the operator for outgoing connections is not valid',
    hint: 'WEIR_EGRESS_ALLOW lists networks as address/prefix.',
  },
  server_unreachable: {
    type: 'transient_error',
    origin: 'source',
    message: 'The server cannot be reached',
    hint: 'Check host and port, that the server runs, and that its firewall lets the platform in.',
  },
  connection_lost: {
    type: 'transient_error',
    origin: 'source',
    message: 'The connection to the server was lost',
    hint: 'The next attempt reads on from the last state. If it goes on, look into the log of the server.',
  },
  server_stopping: {
    type: 'transient_error',
    origin: 'source',
    message: 'The server is starting or shutting down',
    hint: 'Try again when it runs.',
  },
  too_many_connections: {
    type: 'transient_error',
    origin: 'source',
    message: 'The server has no connection left',
    hint: 'Lower parallel_reads, or raise max_connections or the limit of the user.',
  },
  tls_unsupported: {
    type: 'config_error',
    origin: 'config',
    message: 'The server does not speak TLS',
    hint: 'Switch TLS on at the server, or choose ssl_mode disable where the network can be trusted.',
  },
  tls_required: {
    type: 'config_error',
    origin: 'config',
    message: 'The server takes connections with TLS only, or none from here',
    hint: 'Choose ssl_mode require or stronger; else add a line for this user, database and address to pg_hba.conf.',
  },
  server_untrusted: {
    type: 'config_error',
    origin: 'source',
    message: 'The certificate of the server cannot be trusted',
    hint: 'Give the certificate of its authority in ssl_ca; with verify-full the certificate must name the host.',
  },
  login_failed: {
    type: 'config_error',
    origin: 'config',
    message: 'The server does not accept the user or the password',
    hint: 'Check username and password, and that the role may log in.',
  },
  database_unknown: {
    type: 'config_error',
    origin: 'config',
    message: 'The server has no such database',
    hint: 'Check the name of the database; it is case sensitive.',
  },
  rights_missing: {
    type: 'config_error',
    origin: 'source',
    message: 'The user lacks a right',
    hint: 'GRANT CONNECT on the database, USAGE on the schemas and SELECT on the tables to the user.',
  },
  schema_unknown: {
    type: 'config_error',
    origin: 'config',
    message: 'A schema of the configuration does not exist',
    hint: 'Check the list of schemas; names are case sensitive.',
  },
  no_tables_found: {
    type: 'config_error',
    origin: 'source',
    message: 'No table can be read',
    hint: 'The schemas must hold a table that the user may SELECT from, and the user needs USAGE on the schemas.',
  },
  stream_unknown: {
    type: 'config_error',
    origin: 'config',
    message: 'The table of this stream is not there any more, or cannot be read',
    hint: 'Discover the source again.',
  },
  column_unknown: {
    type: 'config_error',
    origin: 'source',
    message: 'A column that the stream is read by is not there any more',
    hint: 'Refresh the schema of the source.',
  },
  schema_changed: {
    type: 'transient_error',
    origin: 'source',
    message: 'The table was changed while it was read',
    hint: 'The next attempt reads it as it is then.',
  },
  snapshot_lost: {
    type: 'transient_error',
    origin: 'source',
    message: 'The snapshot that all parts of the table are read from is gone',
    hint: 'The table is read again from its start: parts of two snapshots are never put together.',
  },
  read_cancelled: {
    type: 'transient_error',
    origin: 'source',
    message: 'The server ended a query',
    hint: 'On a standby raise max_standby_streaming_delay or set hot_standby_feedback; else see who cancels queries.',
  },
  server_failed: {
    type: 'system_error',
    origin: 'source',
    message: 'The server answered with an error that the connector does not know',
    hint: 'The log of the server tells which statement failed.',
  },
  encoding_invalid: {
    type: 'config_error',
    origin: 'source',
    message: 'A text cannot be read as UTF-8',
    hint: 'The database must have an encoding that Postgres converts; SQL_ASCII with other bytes is none.',
  },
  cursor_missing: {
    type: 'config_error',
    origin: 'config',
    message: 'The stream has no cursor column',
    hint: 'Choose one: a number, date or time that grows with every change of a row.',
  },
  cursor_unusable: {
    type: 'config_error',
    origin: 'config',
    message: 'The cursor column has no type that orders rows',
    hint: 'Choose a column of integers, numeric with a scale, dates, timestamps, text or uuid.',
  },
  state_invalid: {
    type: 'config_error',
    origin: 'platform',
    message: 'The stored state is not one of this stream',
    hint: 'The cursor of the stream was changed, or its replication method: reset the stream.',
  },
  storage_full: {
    type: 'system_error',
    origin: 'platform',
    message: 'The disk for temporary files is full',
    hint: 'Give the connector more room for temporary files.',
  },
  memory_exceeded: {
    type: 'system_error',
    origin: 'platform',
    message: 'Writing a part of a table took more memory than the connector has',
    hint: 'Give the connector more memory, or lower parallel_reads.',
  },
} as const satisfies Record<string, Fault>;

export type FaultCode = keyof typeof FAULTS;

/** The error for a fault; `where` goes in front of the hint: a setting, or the name of a table or column. */
export function fault(code: FaultCode, where?: string, cause?: unknown): SourceError {
  const { type, origin, message, hint } = FAULTS[code];
  return new SourceError(code, {
    type,
    origin,
    message,
    hint: where === undefined ? hint : `${where}: ${hint}`,
    ...(cause === undefined ? {} : { cause }),
  });
}
