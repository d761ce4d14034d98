/** A variable that is read outside of a settings schema. */
export interface VariableNote {
  name: string;
  type: string;
  /** What holds when it is absent. */
  absent: string;
  meaning: string;
  /** Whether `<NAME>_FILE` may name a file that holds the value. */
  file?: true;
}

/** Variables of one kind of program. */
export interface VariableGroup {
  title: string;
  /** One or two sentences. */
  intro: string;
  variables: readonly VariableNote[];
}

const note = (name: string, type: string, absent: string, meaning: string): VariableNote => ({
  ...{ name, type, absent, meaning },
});
const filed = (...words: Parameters<typeof note>): VariableNote => ({ ...note(...words), file: true });

/** What the programs read beside the settings of kernel and plugins; a test compares it with the sources. */
export const VARIABLE_GROUPS: readonly VariableGroup[] = [
  {
    title: 'Worker program',
    intro: '`node workers/src/main.ts --roles source` also reads every setting above, since it boots the same plugins.',
    variables: [
      note('WEIR_WORK_DIR', 'folder', '`weir` in the folder for temporary files', 'Scratch files of syncs'),
      note('WEIR_CACHE_DIR', 'folder', '`weir-cache` in the folder for temporary files', 'Compiled workflows'),
      note(
        'WEIR_STATE_DIR',
        'folder',
        'a folder of the user in the one for temporary files',
        'Where each worker says that it lives, with its roles and children',
      ),
    ],
  },
  {
    title: 'Traces',
    intro:
      'Of the OpenTelemetry SDK, read where `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector; its other variables are not.',
    variables: [
      note('OTEL_TRACES_SAMPLER', 'name of a sampler', '`parentbased_always_on`', 'Which traces are kept'),
      note('OTEL_EXPORTER_OTLP_HEADERS', '`name=value`, by commas', 'none', 'What is sent to the collector along'),
    ],
  },
  {
    title: 'Connectors',
    intro: 'Read where a connector fetches from an address, or reads a folder, that a user gave.',
    variables: [
      note('WEIR_EGRESS_ALLOW', 'networks, by commas', 'public addresses only', 'Private networks that may be reached'),
      note('WEIR_EGRESS_PORTS', 'ports, by commas', '80 and 443', 'Ports that may be reached'),
      note(
        'WEIR_FILES_ROOTS',
        'folders, by colons',
        'every folder',
        'Folders below which files may be read, but for names that begin with a dot',
      ),
      note('WEIR_FILES_REFUSED', 'folders, by colons', 'none', 'Folders that are never read'),
    ],
  },
  {
    title: 'Migrations',
    intro:
      '`weir migrate` and `node migrations/src/main.ts bootstrap|up|tenant create <alias>|development-reader`. `DB_*`, `WEIR_DB_SSL_*` and `WEIR_MODE` mean what they mean above.',
    variables: [
      filed('WEIR_DB_SUPERUSER_URL', 'Postgres URL, secret', 'required by `bootstrap`', 'Makes roles and database'),
      filed('WEIR_DB_OWNER_USER', 'string', '`weir_owner`', 'The role that owns the tables'),
      filed('WEIR_DB_OWNER_PASSWORD', 'secret', 'required', 'Password of that role'),
      filed(
        'WEIR_DB_SYSTEM_PASSWORD',
        'secret',
        'required by `bootstrap`',
        'Password of the role for reads across tenants',
      ),
      filed('WEIR_DB_DEVELOPMENT_PASSWORD', 'secret', 'required by `development-reader`', 'Password of its role'),
    ],
  },
  {
    title: 'Commands',
    intro: '`weir` finds its server by options, these variables, `weir.yaml`, a profile, or the development server.',
    variables: [
      note('WEIR_URL', 'URL', 'the profile', 'Address of the API'),
      note('WEIR_TENANT', 'alias', 'the profile', 'Tenant that commands are for'),
      filed('WEIR_TOKEN', 'secret', 'the profile', 'Access token'),
      note('WEIR_PROFILE', 'name', 'the current profile', 'A stored server'),
      note('WEIR_OUTPUT', 'format', '`table`', 'Form of the output, as `-o`'),
      note('COLUMNS', 'a number', 'the terminal', 'Columns that tables have to fit; those of a pipe fit none'),
      note('NO_COLOR', 'any text', 'colours on a terminal', 'No colours'),
      note('XDG_CONFIG_HOME', 'folder', '`~/.config`', 'Where `weir/profiles.json` lies'),
    ],
  },
  {
    title: 'Development server',
    intro:
      '`weir dev up` starts what these do not name, and hands the programs the rest of its environment. `DB_*`, `WORKFLOW_*` and `IDP_*` mean what they mean above.',
    variables: [
      note('DB_HOST', 'host', 'an embedded Postgres is started', 'A Postgres server to use'),
      note('WORKFLOW_HOST', 'host', 'an embedded Temporal is started', 'A Temporal server to use'),
      note(
        'IDP_URL',
        'URL',
        'an embedded identity provider is started',
        'An identity provider to use, with `IDP_ISSUER`',
      ),
      note('WEIR_HTTP_PORT', 'port', '8080, or a free one', 'Port of the API; refused when it is taken'),
      note('WEIR_TOOL_CACHE', 'folder', '`weir` in `XDG_CACHE_HOME`', 'Where downloaded servers are kept'),
      note('XDG_CACHE_HOME', 'folder', '`~/.cache`', 'Where caches of a user lie'),
    ],
  },
];

/** Variables that our programs set for each other, and those of the operating system; nobody has to set them. */
export const INTERNAL_VARIABLES: ReadonlySet<string> = new Set([
  ...['WEIR_LAUNCHED_AT', 'WEIR_STDIN_LEASE', 'WEIR_CONNECTOR_MEMORY_MIB'],
  ...[
    'WEIR_TEST_DATABASE_URL',
    'WEIR_TEST_PORTS',
    'WEIR_TEST_LEAK',
    'WEIR_FAULTPOINTS',
    'WEIR_DATA_CHANNEL',
    'WEIR_SEGMENT_DIR',
    'WEIR_SEGMENT_FORMATS',
    'WEIR_STREAM_LOOK',
  ],
  ...['WEIR_TEST_S3_ENDPOINT', 'WEIR_TEST_S3_ACCESS_KEY_ID', 'WEIR_TEST_S3_SECRET_ACCESS_KEY'],
  ...['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ', 'DATA_CHANNEL_MEDIUM', 'DATA_CHANNEL_FORMAT', 'TRACEPARENT'],
  'NODE_COMPILE_CACHE',
]);
