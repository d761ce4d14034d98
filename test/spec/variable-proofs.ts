import { aiProofs } from './ai-proofs.ts';
import type { Proof } from './rows.ts';

const PLATFORM = 'test/test/variables.test.ts';
const VAULT = 'test/test/vault.test.ts';
const PROGRAMS = 'test/test/variables-programs.test.ts';
const CLI = 'cli/test/connection.test.ts';

const proved = (file: string, test: string, ...names: string[]): [string, Proof][] =>
  names.map((name) => [name, { file, test }]);

/** What bounds a worker, by role. */
const WORKER_BOUNDS = [
  'ACTIVITY_MAX_WORKERS',
  ...['ACTIVITIES', 'WORKFLOW_TASKS', 'ACTIVITY_TASK_POLLS', 'WORKFLOW_TASK_POLLS'].map((of) => `MAX_CONCURRENT_${of}`),
];

/** For each variable that is read: the test in which changing it changes what the platform does. */
export const variableProofs: ReadonlyMap<string, Proof> = new Map([
  ...proved(PLATFORM, 'rows are those of that database on that server', 'DB_HOST', 'DB_PORT', 'DB_NAME'),
  ...proved(
    'test/test/boot-refusals.test.ts',
    'the API refuses to start as superuser or owner, or on another schema: exit 78, one line, no port',
    'DB_USER',
    'DB_PASSWORD',
  ),
  ...proved(
    'kernel/test/settings.test.ts',
    'values come from the environment, from files and from defaults, typed and frozen',
    'DB_PASSWORD_FILE',
  ),
  ...proved(
    'test/test/database-tls.test.ts',
    'each mode trusts what it says, and the role shows its certificate',
    'WEIR_DB_SSL_MODE',
    'WEIR_DB_SSL_ROOT_CERT',
    'WEIR_DB_SSL_CERT',
    'WEIR_DB_SSL_KEY',
  ),
  ...proved(
    'test/test/engine-tls.test.ts',
    'a name, an authority or a certificate that is not the right one is refused by name',
    'WEIR_WORKFLOW_TLS',
    'WEIR_WORKFLOW_TLS_ROOT_CERT',
    'WEIR_WORKFLOW_TLS_SERVER_NAME',
    'WEIR_WORKFLOW_TLS_CERT',
    'WEIR_WORKFLOW_TLS_KEY',
  ),
  ...proved(PLATFORM, 'the engine is looked for there', 'WORKFLOW_HOST', 'WORKFLOW_PORT'),
  ...proved(PLATFORM, 'the engine keeps the work in that namespace', 'WORKFLOW_NAMESPACE'),
  ...proved(
    PLATFORM,
    'work waits in the queue of its role',
    'WORKFLOW_SOURCE_TASK_QUEUE',
    'WORKFLOW_DISCOVERY_TASK_QUEUE',
    'WORKFLOW_GENERAL_TASK_QUEUE',
    'WORKFLOW_MAINTENANCE_TASK_QUEUE',
    'WORKFLOW_ONTOLOGY_SYNC_TASK_QUEUE',
    'WORKFLOW_ONTOLOGY_SYNC_V2_TASK_QUEUE',
    'WORKFLOW_TRANSFORM_TASK_QUEUE',
  ),
  ...proved(
    PROGRAMS,
    'each sets its own bound of a worker',
    ...['SOURCE', 'DISCOVERY', 'GENERAL', 'MAINTENANCE', 'ONTOLOGY_SYNC', 'ONTOLOGY_SYNC_V2', 'TRANSFORM'].flatMap(
      (role) => WORKER_BOUNDS.map((bound) => `WORKFLOW_${role}_${bound}`),
    ),
  ),
  ...proved(PLATFORM, 'keys come from that provider and realm', 'IDP_URL', 'IDP_REALM'),
  ...proved(
    PLATFORM,
    'a token must be of that issuer, for that API, with that claim',
    'IDP_ISSUER',
    'WEIR_IDP_AUDIENCE',
    'WEIR_IDP_ORG_CLAIM',
  ),
  ...proved(PLATFORM, 'a start is refused when ID tokens of that client would pass for access tokens', 'IDP_CLIENT_ID'),
  ...proved(PLATFORM, 'a client in it is a service with its tenants and capabilities', 'WEIR_SERVICE_PRINCIPALS'),
  ...proved(PLATFORM, 'a token is of a service when it has a mark of client credentials', 'WEIR_IDP_SERVICE_MARKS'),
  ...proved(
    'test/test/variables.test.ts',
    'a process holds no more connections to the database than it says',
    'WEIR_DB_POOL_SIZE',
  ),
  ...proved(PLATFORM, 'a client in it acts for people, within its tenants and capabilities', 'WEIR_DELEGATION_CLIENTS'),
  ...proved(PLATFORM, 'whoever holds that realm role owns what all tenants share', 'WEIR_PLATFORM_ADMIN_ROLE'),
  ...proved(PLATFORM, 'pages of these origins may read answers, others not', 'CORS_ALLOWED_ORIGINS'),
  ...proved(
    VAULT,
    'SOURCE_CREDENTIAL_MODE decides where credentials are kept; a third value is refused',
    'SOURCE_CREDENTIAL_MODE',
  ),
  ...proved(
    VAULT,
    'the key file seals, and the one before it opens what it sealed',
    'WEIR_CREDENTIAL_KEY_FILE',
    'WEIR_CREDENTIAL_PREVIOUS_KEY_FILE',
  ),
  ...proved(
    VAULT,
    'a store that does not answer leaves the platform ready, and its part down',
    'SECRET_STORE_ADDR',
    'SECRET_STORE_CACERT',
  ),
  ...proved(
    VAULT,
    'a mount that keeps ten versions, or takes writes that follow none, refuses the start by name',
    'WEIR_SECRET_STORE_MOUNT',
    'SECRET_STORE_ROLE_ID_FILE',
    'SECRET_STORE_SECRET_ID_FILE',
  ),
  ...proved(
    'test/test/tracing.test.ts',
    'a sync is one trace from the request to the child process',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
  ),
  ...proved(PLATFORM, 'tables are those of the catalog of that name', 'TABLE_CATALOG'),
  ...proved(
    'plugins/datasets/test/settings.test.ts',
    'an http address of the catalog is that of a REST catalog, and the token is meant for it alone',
    'WEIR_TABLE_CATALOG_TOKEN',
  ),
  ...proved(
    'plugins/datasets/test/settings.test.ts',
    'a catalog in another Postgres than the service database is refused by name, without its address',
    'TABLE_CATALOG_URI',
  ),
  ...proved(
    'plugins/datasets/test/expire.test.ts',
    'WEIR_SNAPSHOT_MAX_AGE_HOURS, WEIR_SNAPSHOT_MIN_KEPT → decide which snapshots expire',
    'WEIR_SNAPSHOT_MAX_AGE_HOURS',
    'WEIR_SNAPSHOT_MIN_KEPT',
  ),
  ...proved(
    'plugins/datasets/test/maintain.test.ts',
    'WEIR_MAINTENANCE_SLOTS, _BYTES_PER_HOUR, _MEMORY_MIB → bound the rounds and the process of a rewrite',
    'WEIR_MAINTENANCE_BYTES_PER_HOUR',
    'WEIR_MAINTENANCE_SLOTS',
    'WEIR_MAINTENANCE_MEMORY_MIB',
  ),
  ...proved(
    'plugins/datasets/test/settings.test.ts',
    'a warehouse in S3 is opened with the credentials, the address and the region that are set',
    'OBJECT_STORE_REGION',
    'WEIR_TABLE_CACHE_DIR',
  ),
  ...proved(
    'plugins/ontology/test/bindings.test.ts',
    'outside of development each tenant needs its exact entry; a client needs the capability',
    'ONTOLOGY_TENANT_BINDINGS_JSON',
    'ONTOLOGY_TENANT_ID',
  ),
  ...proved(
    'plugins/ontology/test/bindings.test.ts',
    'a file of bindings → followed without a restart; one that is not in order binds no tenant',
    'ONTOLOGY_TENANT_BINDINGS_JSON_FILE',
  ),
  ...proved(
    'plugins/ontology/test/types.test.ts',
    'switched off → the status says so, every other route is 501',
    'ONTOLOGY_ENABLED',
  ),
  ...proved(
    'plugins/ontology/test/types.test.ts',
    'settings of an ontology service that cannot be used → the start is refused by name, without the key',
    'ONTOLOGY_SERVICE_URL',
    'ONTOLOGY_API_KEY',
  ),
  ...aiProofs,
  ...proved(
    'plugins/schema-registry/test/libraries.test.ts',
    'without smart data models → empty with a hint; with them → what is there',
    'WEIR_SCHEMA_LIBRARIES',
  ),
  ...proved(
    'plugins/datasets/test/s3-warehouse.test.ts',
    'tables are made, filled and previewed in a warehouse in S3, which is well while it takes files',
    'WEIR_WAREHOUSE',
    'OBJECT_STORE_ENDPOINT_URL',
    'OBJECT_STORE_ACCESS_KEY_ID',
    'OBJECT_STORE_SECRET_ACCESS_KEY',
  ),
  ...proved(
    'plugins/datasets/test/settings.test.ts',
    'the key of the store and its secret may come from files',
    'OBJECT_STORE_ACCESS_KEY_ID_FILE',
    'OBJECT_STORE_SECRET_ACCESS_KEY_FILE',
  ),
  ...proved(
    'plugins/datasets/test/remote-reads.test.ts',
    'a table of the remote catalog that names files of another tenant → none of them is read',
    'WEIR_FOREIGN_FOLDERS',
  ),
  ...proved(
    'plugins/datasets/test/sweep.test.ts',
    'the route and the hourly sweep take the grace of WEIR_SWEEP_GRACE_HOURS',
    'WEIR_SWEEP_GRACE_HOURS',
  ),
  ...proved(PLATFORM, 'the API listens there', 'WEIR_HTTP_HOST', 'WEIR_HTTP_PORT'),
  ...proved(PLATFORM, '/health says which release answers', 'WEIR_RELEASE_SHA', 'WEIR_IMAGE_DIGEST'),
  ...proved(PLATFORM, 'lines below it are not written', 'WEIR_LOG_LEVEL'),
  ...proved(PLATFORM, 'plugins are told the mode, by which they refuse what is for development', 'WEIR_MODE'),
  ...proved(PLATFORM, 'the manifest decides which patterns there are', 'WEIR_PLATFORM'),
  ...proved(
    'plugins/transforms/test/bounds.test.ts',
    'a runaway statement → ended, and named by the bound that it met',
    'WEIR_TRANSFORM_MEMORY_MIB',
    'WEIR_TRANSFORM_DEADLINE_SECONDS',
  ),
  ...proved(
    'plugins/transforms/test/bounds.test.ts',
    'a run of a tenant that has no lane free → pending until there is one',
    'WEIR_TRANSFORM_LANES_PER_TENANT',
  ),
  ...proved(
    'plugins/sources/test/crash.test.ts',
    'kill -9 of the worker in mid-sync, then a restart',
    'WEIR_SYNC_COMMIT_SECONDS',
  ),
  ...proved(
    'plugins/sources/test/sync-lanes.test.ts',
    'a sync that has to wait is pending, holds up no other tenant, and goes on by itself',
    'WEIR_SYNC_LANES_PER_TENANT',
  ),
  ...proved(
    'test/test/variables-programs.test.ts',
    'a connector that is silent for longer ends the attempt',
    'WEIR_SYNC_MAX_SILENT_SECONDS',
  ),
  ...proved(
    'plugins/sources/test/ask-connector.test.ts',
    'a check that says nothing is stopped after its own short time, whatever a discovery may take',
    'WEIR_CHECK_MAX_SECONDS',
  ),
  ...proved(
    'plugins/sources/test/discovery-runs.test.ts',
    'whose connector hangs ends, and the run says how it hung',
    'WEIR_DISCOVERY_MAX_SECONDS',
  ),
  ...proved(
    'plugins/sources/test/write-modes.test.ts',
    'a stream fails when more of its lines are rejected than one sync may reject',
    'WEIR_SYNC_MAX_REJECTED_ROWS',
  ),
  ...proved(
    'plugins/sources/test/schedules.test.ts',
    'a schedule may run as often as the operator lets it',
    'WEIR_SCHEDULE_MIN_SECONDS',
  ),
  ...proved(
    'plugins/platform/test/rates.test.ts',
    'reads and writes have rates of their own, for each caller and tenant',
    'WEIR_RATE_READS',
    'WEIR_RATE_WRITES',
  ),
  ...proved(
    'plugins/platform/test/rates.test.ts',
    'starts of runs, and what is costly to answer, have rates of their own',
    'WEIR_RATE_STARTS',
    'WEIR_RATE_COSTLY',
  ),
  ...proved(
    'plugins/platform/test/rates.test.ts',
    'who guesses credentials is cut off by address and route, and fills no trail',
    'WEIR_RATE_GUESSES',
  ),
  ...proved(
    'plugins/platform/test/quotas.test.ts',
    'a tenant starts as many runs in a day as it may, and none after them until midnight',
    'WEIR_LIMIT_RUNS_PER_DAY',
  ),
  ...proved(
    'plugins/platform/test/quotas.test.ts',
    'a default holds for whoever has no limit of its own, and 0 is no limit',
    'WEIR_LIMIT_CONCURRENT_RUNS',
  ),
  ...proved(
    'plugins/platform/test/quotas.test.ts',
    'a tenant that keeps as many bytes as it may starts no run',
    'WEIR_LIMIT_STORAGE_BYTES',
  ),
  ...proved(
    'test/test/audit.test.ts',
    'what was made, what failed and what was repeated is told, from where the trusted proxy says',
    'WEIR_TRUSTED_PROXIES',
  ),
  ...proved(
    'plugins/identity/test/api-token-reading.test.ts',
    'a token stops by its own code when its maker was not seen for longer than the bound',
    'WEIR_TOKEN_MAKER_DAYS',
  ),
  ...proved(
    'test/test/web-pages.test.ts',
    'WEIR_UI_CLIENT_ID: the client with which the pages sign in',
    'WEIR_UI_CLIENT_ID',
  ),
  ...proved(
    'plugins/platform/test/run-logs.test.ts',
    'logs of runs are kept in the folder, or in the log store, that the settings name',
    'WEIR_RUN_LOG_DIR',
    'LOG_STORE_URL',
    'LOG_STORE_AUTH_TOKEN',
  ),
  ...proved(
    'plugins/platform/test/run-logs.test.ts',
    'a log goes when it was kept for as many days as it is to be, and a reader is told so',
    'WEIR_RUN_LOG_RETENTION_DAYS',
  ),
  ...proved(
    'plugins/sources/test/run-log-laws.ts',
    'of a run that says too much keeps the first and the last, and says what is missing',
    'WEIR_RUN_LOG_MAX_LINES',
  ),
  ...proved(PROGRAMS, 'a worker keeps its files there', 'WEIR_STATE_DIR', 'WEIR_CACHE_DIR', 'WEIR_WORK_DIR'),
  ...proved(
    PROGRAMS,
    'the release step uses them',
    'WEIR_DB_SUPERUSER_URL',
    'WEIR_DB_OWNER_USER',
    'WEIR_DB_OWNER_PASSWORD',
    'WEIR_DB_SYSTEM_PASSWORD',
    'WEIR_DB_DEVELOPMENT_PASSWORD',
  ),
  ...proved(
    'plugins/sources/test/runtime-choice.test.ts',
    'each role has the engine that it was given, and without one connectors are processes of a development alone',
    'SOURCE_SOCKET_DIR',
    'DISCOVERY_SOCKET_DIR',
    'WEIR_SOURCE_WORKSPACE_DIR',
    'WEIR_DISCOVERY_WORKSPACE_DIR',
    'WEIR_ENGINE_WAIVERS',
  ),
  ...proved(
    'lib/egress/test/addresses.test.ts',
    'the operator allows networks and ports by the environment, and a mistake in them is refused',
    'WEIR_EGRESS_ALLOW',
    'WEIR_EGRESS_PORTS',
  ),
  ...proved(
    'connectors/files/test/folder-bounds.test.ts',
    'a folder outside of them → refused, whether it exists or not',
    'WEIR_FILES_ROOTS',
  ),
  ...proved(
    'connectors/files/test/folder-bounds.test.ts',
    'a folder of the platform → refused by path, by link, by glob from above',
    'WEIR_FILES_REFUSED',
  ),
  ...proved(
    'plugins/sources/test/uploads.test.ts',
    'a file is brought → a source of the tenant reads it, and no other tenant names it',
    'WEIR_UPLOAD_DIR',
  ),
  ...proved(
    'plugins/sources/test/uploads.test.ts',
    'more than the quota, by bytes or by number → refused, and nothing is left',
    'WEIR_UPLOAD_QUOTA_MIB',
  ),
  ...proved(
    'plugins/sources/test/pattern-lifecycle.test.ts',
    'a request counts when its signature is good, in its time, and once',
    'PATTERN_WEBHOOK_SECRET',
  ),
  ...proved(
    'plugins/sources/test/pattern-lifecycle.test.ts',
    'a reconciliation retires what its set does not name, and changes no source',
    'PATTERN_ADMIN_SECRET',
  ),
  ...proved(
    'plugins/sources/test/pattern-lifecycle.test.ts',
    'without secrets the routes are closed, and a bad file keeps the platform from being ready unless told',
    'WEIR_PATTERN_FAULTS',
  ),
  ...proved(
    'plugins/sources/test/add-connector.test.ts',
    'only images of listed registries are pulled, and pinned by the digest of their name',
    'WEIR_CONNECTOR_REGISTRIES',
  ),
  ...proved(
    'plugins/sources/test/add-connector.test.ts',
    'a pull of more than an image may take is broken off',
    'WEIR_CONNECTOR_MAX_IMAGE_MIB',
  ),
  ...proved(PROGRAMS, 'the CLI goes to that server', 'WEIR_URL', 'WEIR_PROFILE'),
  ...proved(
    CLI,
    'each layer reaches the API: environment, weir.yaml above the folder, profile, running server',
    'WEIR_TENANT',
    'WEIR_TOKEN',
    'WEIR_TOKEN_FILE',
    'WEIR_OUTPUT',
  ),
  ...proved(PROGRAMS, 'programs of the embedded services are kept there', 'WEIR_TOOL_CACHE'),
]);
