import type { Owner, Route } from './rows.ts';

/** Why something exists that the specification does not name. */
export interface Reason {
  owner: Owner | 'system';
  why: string;
}

const because = (owner: Reason['owner'], why: string): Reason => ({ owner, why });

/** Routes of ours. */
export const ourRoutes: ReadonlyMap<Route, Reason> = new Map([
  ['GET /ready', because('kernel', 'load balancers ask whether requests can be served')],
  ['GET /openapi.json', because('kernel', 'clients and fuzzers read the API from it')],
  ['GET /docs', because('kernel', 'the explorer that the specification puts at /docs')],
  ['GET /docs/assets/{file}', because('kernel', 'what the explorer loads')],
  ['GET /docs/errors', because('kernel', 'all error codes in one list')],
  ['GET /docs/errors/{code}', because('kernel', 'the page that the type of a problem names')],
  ['POST /datasets/sweep', because('datasets', 'removes files that no commit took, or tells which they are')],
  ['GET /sources/{source_id}/readiness', because('sources', 'the checklist of a source, as its start asks it')],
  ['GET /sources/{source_id}/streams/{stream_id}', because('sources', 'what Location of a new stream names')],
  [
    'GET /sources/{source_id}/streams/{stream_id}/reset',
    because('sources', 'the consequences, before anything is done'),
  ],
  ['POST /sources/{source_id}/streams/{stream_id}/reset', because('sources', 'a stream is read from nothing again')],
  ['POST /sources/sync-runs/{sync_run_id}/cancel', because('sources', 'a sync that is not wanted any more')],
  ['GET /sources/sync-runs/{sync_run_id}/receipt', because('sources', 'what a sync says it has written')],
  ['POST /sources/sync-runs/{sync_run_id}/verify', because('sources', 'a receipt is held against the tables')],
  ['GET /sources/sync-runs/{sync_run_id}/verification', because('sources', 'what was found when it was')],
  ['POST /sources/quarantine-replays', because('sources', 'rejected lines are tried again')],
  ['GET /sources/quarantine-replays/{replay_run_id}', because('sources', 'what became of them')],
  ['GET /datasets/{dataset_id}/quarantine', because('datasets', 'the lines that were no rows')],
  ['GET /datasets/{dataset_id}/schema', because('datasets', 'the columns of a table without its rows')],
  ['GET /datasets/{dataset_id}/schema/history', because('datasets', 'how the columns changed')],
  ['GET /events', because('platform', 'programs and pages hear of changes without asking again')],
  ['GET /admission', because('platform', 'whether new runs are let in')],
  ['PUT /admission', because('platform', 'the switch that is closed before workers are changed')],
  ['GET /admission/changes', because('platform', 'who opened and closed it')],
  ['GET /audit', because('platform', 'who changed what in a tenant, and who was denied')],
  ['GET /audit/platform', because('platform', 'the same for what belongs to no tenant')],
  ['GET /plugins', because('platform', 'what is installed, and what a tenant has of it')],
  ['GET /tenants/{alias}/plugins', because('platform', 'the plugins of a tenant as its operator sees them')],
  ['PUT /tenants/{alias}/plugins/{plugin_id}', because('platform', 'switches an opt-in plugin for one tenant')],
]);

/** Settings of ours: an operator or a user may change them. */
export const ourVariables: ReadonlyMap<string, Reason> = new Map([
  ['WEIR_MODE', because('kernel', 'development defaults are refused in production')],
  ['WEIR_HTTP_HOST', because('kernel', 'where the API listens')],
  ['WEIR_HTTP_PORT', because('kernel', 'where the API listens')],
  ['WEIR_LOG_LEVEL', because('kernel', 'how much is logged')],
  ['WEIR_RELEASE_SHA', because('kernel', 'the release that /health names')],
  ['WEIR_IMAGE_DIGEST', because('kernel', 'the image that /health names')],
  ['WEIR_IDP_AUDIENCE', because('kernel', 'tokens must be meant for this API')],
  ['WEIR_IDP_ORG_CLAIM', because('kernel', 'the claim that lists the organizations of a user')],
  ['WEIR_SERVICE_PRINCIPALS', because('kernel', 'clients that are services, with tenants and capabilities')],
  ['WEIR_DELEGATION_CLIENTS', because('kernel', 'clients that act for people, with tenants and capabilities')],
  ['WEIR_PLATFORM_ADMIN_ROLE', because('kernel', 'what the identity provider calls the role of platform admins')],
  ['OTEL_EXPORTER_OTLP_HEADERS', because('kernel', 'what the trace collector wants to see')],
  ['WEIR_PLATFORM', because('kernel', 'the deployment manifest')],
  ['WEIR_WAREHOUSE', because('datasets', 'where the tables lie')],
  ['WEIR_TABLE_CACHE_DIR', because('datasets', 'local copies of table files in S3')],
  ['WEIR_TABLE_CATALOG_TOKEN', because('datasets', 'lets us into a REST catalog')],
  ['WEIR_SWEEP_GRACE_HOURS', because('datasets', 'how long files that no commit took are left alone')],
  ['WEIR_SYNC_COMMIT_SECONDS', because('sources', 'how long rows may wait for a commit')],
  ['WEIR_SYNC_MAX_REJECTED_ROWS', because('sources', 'how many lines a sync may put aside before it fails')],
  ['WEIR_WORK_DIR', because('workers', 'workspaces of connectors')],
  ['WEIR_CACHE_DIR', because('workers', 'compiled workflows')],
  ['WEIR_STATE_DIR', because('workers', 'which processes a worker has')],
  ['WEIR_EGRESS_ALLOW', because('connectors', 'private networks that connectors may reach')],
  ['WEIR_EGRESS_PORTS', because('connectors', 'ports that connectors may reach')],
  ['WEIR_DB_SUPERUSER_URL', because('release', 'makes roles and database before the first migration')],
  ['WEIR_DB_OWNER_USER', because('release', 'the role that owns the tables')],
  ['WEIR_DB_OWNER_PASSWORD', because('release', 'its password')],
  ['WEIR_DB_SYSTEM_PASSWORD', because('release', 'password of the role for reads across tenants')],
  ['WEIR_DB_DEVELOPMENT_PASSWORD', because('release', 'password of the role of development tools')],
  ['WEIR_URL', because('cli', 'the server that commands go to')],
  ['WEIR_TENANT', because('cli', 'the tenant that commands are for')],
  ['WEIR_TOKEN', because('cli', 'the token of a command in a pipeline')],
  ['WEIR_TOKEN_FILE', because('cli', 'the same from a file')],
  ['WEIR_PROFILE', because('cli', 'one of the stored servers')],
  ['WEIR_OUTPUT', because('cli', 'form of the output')],
  ['WEIR_TOOL_CACHE', because('cli', 'where the embedded servers are kept')],
]);

/** What our own processes and tests tell each other, and what the operating system tells all. Nobody sets these. */
export const innerVariables: ReadonlyMap<string, Reason> = new Map([
  ['WEIR_CONNECTOR_MEMORY_MIB', because('connectors', 'what a connector is given by its runtime')],
  ['WEIR_DATA_CHANNEL', because('connectors', 'what a connector may hand rows over by')],
  ['WEIR_SEGMENT_DIR', because('connectors', 'where a connector puts the files that it hands over')],
  ['WEIR_FAULTPOINTS', because('kernel', 'where crash tests hold a process')],
  ['WEIR_STDIN_LEASE', because('connectors', 'a connector without its runtime ends')],
  ['WEIR_LAUNCHED_AT', because('cli', 'when the launcher began, for the start-up figures')],
  ['WEIR_TEST_DATABASE_URL', because('kernel', 'the server of the tests')],
  ['WEIR_TEST_S3_ENDPOINT', because('datasets', 'the object store of the tests')],
  ['WEIR_TEST_S3_ACCESS_KEY_ID', because('datasets', 'the object store of the tests')],
  ['WEIR_TEST_S3_SECRET_ACCESS_KEY', because('datasets', 'the object store of the tests')],
  ['WEIR_TEST_LEAK', because('connectors', 'the canary of the conformance suite')],
  ['OTEL_TRACES_SAMPLER', because('system', 'the tracing library reads it by itself')],
  ['TRACEPARENT', because('workers', 'the trace that a sync process belongs to')],
  ['NODE_COMPILE_CACHE', because('cli', 'where the launcher has Node keep compiled code')],
  ['PATH', because('system', 'programs are found by it')],
  ['TMPDIR', because('system', 'where temporary files lie')],
  ['HOME', because('system', 'where a user keeps files')],
  ['XDG_CACHE_HOME', because('system', 'where a user keeps caches')],
  ['XDG_CONFIG_HOME', because('system', 'where a user keeps configuration')],
  ['NO_COLOR', because('system', 'output without colours')],
]);
