/** What reading change data fails with. */
export const CHANGE_FAULTS = {
  wal_level_low: {
    type: 'config_error',
    origin: 'source',
    message: 'The server does not write what change data needs',
    hint: 'Set wal_level = logical and restart the server; this is a change of its configuration.',
  },
  replication_forbidden: {
    type: 'config_error',
    origin: 'source',
    message: 'The user may not replicate',
    hint: 'ALTER ROLE … REPLICATION for the user, or the role of the cloud provider for it; pg_hba.conf must allow it too.',
  },
  publication_missing: {
    type: 'config_error',
    origin: 'source',
    message: 'The publication does not exist',
    hint: 'As the owner of the tables: CREATE PUBLICATION … FOR TABLE …; tables need a replica identity first.',
  },
  publication_partial: {
    type: 'config_error',
    origin: 'source',
    message: 'The publication leaves out inserts, updates, deletes or truncates',
    hint: "ALTER PUBLICATION … SET (publish = 'insert, update, delete, truncate').",
  },
  table_unpublished: {
    type: 'config_error',
    origin: 'source',
    message: 'The publication does not hold the table',
    hint: 'ALTER PUBLICATION … ADD TABLE …, after the table has a primary key or another replica identity.',
  },
  replica_identity_missing: {
    type: 'config_error',
    origin: 'source',
    message: 'The table has no replica identity, so updates and deletes cannot be read',
    hint: 'Give it a primary key, or ALTER TABLE … REPLICA IDENTITY FULL or USING INDEX.',
  },
  no_slot_left: {
    type: 'config_error',
    origin: 'source',
    message: 'The server has no replication slot left',
    hint: 'Drop slots that nobody reads, or raise max_replication_slots; one more than in use is needed for a first copy.',
  },
  slot_foreign: {
    type: 'config_error',
    origin: 'source',
    message: 'The replication slot is not one of this connector',
    hint: 'It must be a logical slot with the plugin pgoutput in this database: choose another name in slot.',
  },
  slot_in_use: {
    type: 'transient_error',
    origin: 'source',
    message: 'The replication slot is read by somebody else',
    hint: 'A slot has one reader: give each source its own slot. After a broken connection the server frees it by itself.',
  },
  slot_lost: {
    type: 'config_error',
    origin: 'source',
    message: 'The replication slot is gone, or the server no longer keeps what it needs',
    hint: 'Changes may be missing: reset the streams, so that they are copied again. Raise max_slot_wal_keep_size.',
  },
  slot_ahead: {
    type: 'config_error',
    origin: 'source',
    message: 'The replication slot was moved beyond the state of the stream',
    hint: 'Changes of this stream are no longer there: reset the stream, so that it is copied again.',
  },
  server_replaced: {
    type: 'config_error',
    origin: 'source',
    message: 'The state of the stream is of another server',
    hint: 'Positions of one server say nothing on another: reset the streams, so that they are copied again.',
  },
  table_truncated: {
    type: 'config_error',
    origin: 'source',
    message: 'The table was truncated',
    hint: 'The rows that were there before are gone at the source: reset the stream, so that it is copied again.',
  },
  key_changed: {
    type: 'config_error',
    origin: 'source',
    message: 'The key of the table was changed',
    hint: 'Refresh the schema and reset the stream, so that its rows are found by the new key.',
  },
  change_unreadable: {
    type: 'system_error',
    origin: 'source',
    message: 'The server sent a change that is none of the protocol',
    hint: 'Its version may be newer than the connector.',
  },
} as const;
