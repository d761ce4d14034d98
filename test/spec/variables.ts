import type { Owner, VariableRow } from './rows.ts';

const rows = (owner: Owner, folder: string, ...names: string[]): VariableRow[] =>
  names.map((name) => ({ name, owner, package: folder }));

/** Every environment variable that the specification names. */
export const variables: readonly VariableRow[] = [
  ...rows('kernel', 'kernel', 'IDP_URL', 'IDP_REALM', 'IDP_CLIENT_ID', 'IDP_ISSUER', 'CORS_ALLOWED_ORIGINS'),
  ...rows('kernel', 'kernel', 'DB_HOST', 'DB_PORT', 'DB_NAME', 'DB_USER', 'DB_PASSWORD', 'DB_PASSWORD_FILE'),
  ...rows('datasets', 'plugins/datasets', 'TABLE_CATALOG_URI', 'TABLE_CATALOG'),
  ...rows('datasets', 'plugins/datasets', 'OBJECT_STORE_ENDPOINT_URL', 'OBJECT_STORE_REGION'),
  ...rows('datasets', 'plugins/datasets', 'OBJECT_STORE_ACCESS_KEY_ID', 'OBJECT_STORE_ACCESS_KEY_ID_FILE'),
  ...rows('datasets', 'plugins/datasets', 'OBJECT_STORE_SECRET_ACCESS_KEY', 'OBJECT_STORE_SECRET_ACCESS_KEY_FILE'),
  ...rows('kernel', 'kernel', 'WORKFLOW_HOST', 'WORKFLOW_PORT', 'WORKFLOW_NAMESPACE', 'WORKFLOW_SOURCE_TASK_QUEUE'),
  ...rows('workers', 'workers', 'WORKFLOW_SOURCE_ACTIVITY_MAX_WORKERS', 'WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITIES'),
  ...rows('workers', 'workers', 'WORKFLOW_SOURCE_MAX_CONCURRENT_WORKFLOW_TASKS'),
  ...rows('workers', 'workers', 'WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITY_TASK_POLLS'),
  ...rows('workers', 'workers', 'WORKFLOW_SOURCE_MAX_CONCURRENT_WORKFLOW_TASK_POLLS'),
  ...rows('sources', 'plugins/sources', 'SOURCE_SOCKET_DIR', 'DISCOVERY_SOCKET_DIR'),
  ...rows('kernel', 'kernel', 'SOURCE_CREDENTIAL_MODE'),
  ...rows('sources', 'plugins/sources', 'PATTERN_WEBHOOK_SECRET', 'PATTERN_ADMIN_SECRET'),
  ...rows('orchestrator', 'plugins/orchestrator', 'ORCHESTRATOR_URL', 'ORCHESTRATOR_BRONZE_AUTOMATION_SHARD_COUNT'),
  ...rows('orchestrator', 'plugins/orchestrator', 'ORCHESTRATOR_TRANSFORM_AUTOMATION_SHARD_COUNT'),
  ...rows('platform', 'plugins/platform', 'LOG_STORE_URL', 'LOG_STORE_AUTH_TOKEN'),
  ...rows('kernel', 'kernel', 'OTEL_EXPORTER_OTLP_ENDPOINT'),
  ...rows('ai', 'plugins/ai', 'AI_ASSISTANT_API_URL', 'AI_ASSISTANT_IDP_URL'),
  ...rows('ai', 'plugins/ai', 'AI_ASSISTANT_CLIENT_ID', 'AI_ASSISTANT_CLIENT_SECRET'),
  ...rows('ontology', 'plugins/ontology', 'ONTOLOGY_ENABLED', 'ONTOLOGY_SERVICE_URL', 'ONTOLOGY_API_KEY'),
  ...rows('ontology', 'plugins/ontology', 'ONTOLOGY_TENANT_ID', 'ONTOLOGY_TENANT_BINDINGS_JSON'),
  ...rows('kernel', 'kernel', 'SECRET_STORE_ADDR', 'SECRET_STORE_CACERT'),
  ...rows('kernel', 'kernel', 'SECRET_STORE_ROLE_ID_FILE', 'SECRET_STORE_SECRET_ID_FILE'),
  ...rows('release', 'release', 'PRODUCTION_DEPLOY_ENABLED'),
];
