/** What is said of a setting of a stream by the code of its fault. */
export const STREAM_FAULTS: Readonly<Record<string, string>> = {
  not_supported: 'is not supported by this stream',
  not_with_incremental: 'cannot be overwrite while the sync mode is incremental',
  unknown_field: 'names a field that the stream does not have',
  not_top_level: 'must be a column of the table, not a field inside of one',
  not_scalar: 'must be a column with one value in each row',
  source_key_unusable: 'must be chosen: the key that the source defines cannot be used',
  not_for_type: 'does not fit the type of its column',
  not_object: 'must be object',
  new_stream: 'is only for a stream that exists',
  not_with_delete: 'cannot be given with a removal',
  destination_taken: 'is written by something else of the tenant',
  partitioning_fixed: 'cannot be changed: the table keeps what it was made with',
  not_discovered: 'was not found by the last discovery',
  own_name: 'is the name of the stream, not of what holds it',
  destination_not_allowed: 'is a table that the tenant may not write',
  needs_attention: 'needs a decision since the schema was refreshed',
};
