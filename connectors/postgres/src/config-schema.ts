export const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
export const METHODS = ['cursor', 'cdc'] as const;
export const DEFAULTS = {
  port: 5432,
  ssl_mode: 'verify-full',
  schema: 'public',
  method: 'cursor',
  publication: 'weir',
  slot: 'weir',
  lookback_seconds: 0,
  parallel_reads: 2,
} as const;
export const MAX_SCHEMAS = 100;
export const MAX_PARALLEL_READS = 8;
/** Ten years. */
export const MAX_LOOKBACK_SECONDS = 315_360_000;
/** Names of Postgres have at most 63 bytes. */
export const MAX_NAME_CHARS = 63;
export const MAX_PEM_CHARS = 262_144;
export const SLOT_PATTERN = '^[a-z0-9_]{1,63}$';

const name = { type: 'string', minLength: 1, maxLength: MAX_NAME_CHARS } as const;

/** The JSON schema of the configuration; `pattern.json` carries the same one. */
export const CONFIG_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Tables of a Postgres database',
  type: 'object',
  required: ['host', 'database', 'username', 'password'],
  additionalProperties: false,
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      maxLength: 253,
      title: 'Host',
      description: 'Name or address of the server.',
    },
    port: { type: 'integer', minimum: 1, maximum: 65_535, default: DEFAULTS.port, title: 'Port' },
    database: { ...name, title: 'Database' },
    username: { ...name, title: 'User', description: 'A role that may only read is enough.' },
    password: { type: 'string', minLength: 1, maxLength: 1024, title: 'Password', airbyte_secret: true },
    ssl_mode: {
      enum: SSL_MODES,
      default: DEFAULTS.ssl_mode,
      title: 'TLS',
      description:
        'disable: none. require: encrypted, the server is not checked. verify-ca: its certificate is. verify-full: its name too.',
    },
    ssl_ca: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_PEM_CHARS,
      title: 'Certificate of the authority',
      description: 'In PEM form. Without it the well-known authorities are trusted.',
    },
    schemas: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_SCHEMAS,
      uniqueItems: true,
      items: name,
      default: [DEFAULTS.schema],
      title: 'Schemas',
      description: 'Tables of the first one keep their names; those of the others are named schema.table.',
    },
    method: {
      enum: METHODS,
      default: DEFAULTS.method,
      title: 'Incremental reads',
      description: 'cursor: by a column that grows. cdc: by the log of the server, deletions included.',
    },
    publication: { ...name, default: DEFAULTS.publication, title: 'Publication', description: 'For cdc. Must exist.' },
    slot: {
      type: 'string',
      pattern: SLOT_PATTERN,
      default: DEFAULTS.slot,
      title: 'Replication slot',
      description: 'For cdc. Made by the first sync; each source needs its own.',
    },
    lookback_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_LOOKBACK_SECONDS,
      default: DEFAULTS.lookback_seconds,
      title: 'Look-back',
      description: 'For cursors of time: so much is read again each time, for rows that were committed late.',
    },
    parallel_reads: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PARALLEL_READS,
      default: DEFAULTS.parallel_reads,
      title: 'Connections of a full load',
    },
  },
} as const;
