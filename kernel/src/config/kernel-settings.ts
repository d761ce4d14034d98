import { type Static, Type } from '@sinclair/typebox';
import { SSL_MODES } from '@weir/vault';
import { OneOf } from '../contract/shapes.ts';
import { SecretSetting } from './settings.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));
const file = (description: string) => Type.Optional(Type.String({ format: 'file', description }));

/** The kernel's own environment variables; names and meanings of the specification, and ours with `WEIR_`. */
export const kernelSettings = Type.Object({
  WEIR_MODE: OneOf(['development', 'staging', 'production'], {
    default: 'production',
    description: 'Only development runs connectors without a container',
  }),
  WEIR_HTTP_HOST: Type.String({ default: '127.0.0.1', description: 'Address that the API listens on' }),
  WEIR_HTTP_PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 8080, description: 'Its port; 0: a free one' }),
  WEIR_LOG_LEVEL: OneOf(['trace', 'debug', 'info', 'warn', 'error'], { default: 'info', description: 'Least level' }),
  WEIR_RELEASE_SHA: Type.String({ default: 'unreleased', description: 'The release that /health names' }),
  WEIR_IMAGE_DIGEST: Type.String({ default: 'none', description: 'The image that /health names' }),
  DB_HOST: Type.String({ default: '127.0.0.1', description: 'Host of the service database' }),
  DB_PORT: Type.Integer({ minimum: 1, maximum: 65535, default: 5432, description: 'Port of the service database' }),
  DB_NAME: Type.String({ default: 'weir', description: 'Name of the service database' }),
  DB_USER: Type.String({ default: 'weir_app', description: 'Role of API and workers, which owns no table' }),
  DB_PASSWORD: SecretSetting({ description: 'Password of DB_USER' }),
  WEIR_DB_SSL_MODE: Type.Optional(
    OneOf([...SSL_MODES], {
      description: 'TLS to the database; verify-full unless set, but disable in development and on loopback',
    }),
  ),
  WEIR_DB_SSL_ROOT_CERT: text('Authorities that vouch for the database, PEM; those of Node when absent'),
  WEIR_DB_SSL_CERT: text('Certificate that the database asks of its clients, PEM'),
  WEIR_DB_SSL_KEY: Type.Optional(SecretSetting({ description: 'Private key of it, PEM' })),
  WEIR_DB_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 10,
    description: 'Connections of one process; an API process has one more for its duties',
  }),
  WORKFLOW_HOST: Type.String({ default: '127.0.0.1', description: 'Host of the workflow engine' }),
  WORKFLOW_PORT: Type.Integer({ minimum: 1, maximum: 65535, default: 7233, description: 'Port of the engine' }),
  WORKFLOW_NAMESPACE: Type.String({ default: 'default', description: 'Namespace of the workflow engine' }),
  WEIR_WORKFLOW_TLS: Type.Optional(
    OneOf(['on', 'off'], {
      description: 'TLS to the workflow engine; on unless set, but off in development and on loopback',
    }),
  ),
  WEIR_WORKFLOW_TLS_ROOT_CERT: text('Authorities that vouch for the engine, PEM; those of the system when absent'),
  WEIR_WORKFLOW_TLS_SERVER_NAME: Type.Optional(
    Type.String({ minLength: 1, description: 'Name in the certificate of the engine; WORKFLOW_HOST when absent' }),
  ),
  WEIR_WORKFLOW_TLS_CERT: text('Certificate that the engine asks of its clients, PEM'),
  WEIR_WORKFLOW_TLS_KEY: Type.Optional(SecretSetting({ description: 'Private key of it, PEM' })),
  IDP_URL: Type.String({ format: 'uri', description: 'Where the identity provider publishes its keys' }),
  IDP_REALM: text('Realm below IDP_URL, where the provider has realms'),
  IDP_ISSUER: Type.String({ format: 'uri', description: 'The issuer that tokens must name' }),
  IDP_CLIENT_ID: Type.String({ default: 'weir-ui', description: 'Client that people sign in with, no audience' }),
  CORS_ALLOWED_ORIGINS: Type.String({ default: '', description: 'Origins, by commas, whose pages may call the API' }),
  WEIR_TRUSTED_PROXIES: Type.String({ default: '', description: 'Networks of proxies to believe, CIDR by commas' }),
  WEIR_IDP_AUDIENCE: Type.String({ default: 'weir-api', description: 'The audience that tokens must name' }),
  WEIR_IDP_ORG_CLAIM: Type.String({ default: 'organization', description: 'Claim that lists organizations' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://', description: 'A trace collector' })),
  SOURCE_CREDENTIAL_MODE: OneOf(['legacy_inline', 'secret_store'], {
    default: 'legacy_inline',
    description: 'Where credentials of sources are kept: sealed in the service database, or in a secret store',
  }),
  WEIR_CREDENTIAL_KEY_FILE: file('File of the 32 bytes that seal credentials'),
  WEIR_CREDENTIAL_PREVIOUS_KEY_FILE: file('The key file before it, while what it sealed is sealed again'),
  SECRET_STORE_ADDR: text('Address of the secret store: OpenBao or Vault'),
  SECRET_STORE_CACERT: file('File of the authorities that vouch for it, PEM'),
  SECRET_STORE_ROLE_ID_FILE: file('File of the role id of this service there'),
  SECRET_STORE_SECRET_ID_FILE: file('File of its secret id, read at each login'),
  WEIR_SECRET_STORE_MOUNT: Type.String({
    pattern: '^[a-z0-9][a-z0-9_-]{0,62}$',
    default: 'weir',
    description: 'Where a KV store of version 2 is mounted there',
  }),
  WEIR_SERVICE_PRINCIPALS: Type.String({ default: '{}', description: 'JSON: client id to {tenants, capabilities}' }),
  WEIR_DELEGATION_CLIENTS: Type.String({ default: '{}', description: 'The same, of clients that act for people' }),
  WEIR_IDP_SERVICE_MARKS: Type.String({
    default: JSON.stringify([
      { preferred_username: 'service-account-{client}' },
      { sub: '{client}' },
      { sub: '{client}@clients' },
    ]),
    description: 'JSON: sets of claims; a token of a service has all claims of one set',
  }),
  WEIR_PLATFORM_ADMIN_ROLE: Type.String({ default: 'platform_admin', description: 'Realm role of platform admins' }),
});

/** What it takes to reach the workflow engine and no more, for programs that ask only that. */
export const engineSettings = Type.Pick(kernelSettings, [
  ...(['WEIR_MODE', 'WORKFLOW_HOST', 'WORKFLOW_PORT', 'WORKFLOW_NAMESPACE', 'WEIR_WORKFLOW_TLS'] as const),
  ...(['WEIR_WORKFLOW_TLS_ROOT_CERT', 'WEIR_WORKFLOW_TLS_SERVER_NAME'] as const),
  ...(['WEIR_WORKFLOW_TLS_CERT', 'WEIR_WORKFLOW_TLS_KEY'] as const),
]);

export type KernelSettings = Static<typeof kernelSettings>;
