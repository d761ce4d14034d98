import { type Static, Type } from '@sinclair/typebox';
import { OneOf } from '../contract/shapes.ts';
import { SecretSetting } from './settings.ts';

/** The kernel's own environment variables; names and meanings of the specification, and ours with `WEIR_`. */
export const kernelSettings = Type.Object({
  WEIR_MODE: OneOf(['development', 'staging', 'production'], { default: 'production' }),
  WEIR_HTTP_HOST: Type.String({ default: '127.0.0.1' }),
  WEIR_HTTP_PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 8080 }),
  WEIR_LOG_LEVEL: OneOf(['trace', 'debug', 'info', 'warn', 'error'], { default: 'info' }),
  WEIR_RELEASE_SHA: Type.String({ default: 'unreleased' }),
  WEIR_IMAGE_DIGEST: Type.String({ default: 'none' }),
  DB_HOST: Type.String({ default: '127.0.0.1' }),
  DB_PORT: Type.Integer({ minimum: 1, maximum: 65535, default: 5432 }),
  DB_NAME: Type.String({ default: 'weir' }),
  DB_USER: Type.String({ default: 'weir_app' }),
  DB_PASSWORD: SecretSetting(),
  WORKFLOW_HOST: Type.String({ default: '127.0.0.1' }),
  WORKFLOW_PORT: Type.Integer({ minimum: 1, maximum: 65535, default: 7233 }),
  WORKFLOW_NAMESPACE: Type.String({ default: 'default' }),
  IDP_URL: Type.String({ format: 'uri' }),
  IDP_REALM: Type.Optional(Type.String()),
  IDP_ISSUER: Type.String({ format: 'uri' }),
  IDP_CLIENT_ID: Type.String({ default: 'weir-ui' }),
  CORS_ALLOWED_ORIGINS: Type.String({
    default: '',
    description: 'Origins, separated by commas, whose pages may call the API',
  }),
  WEIR_IDP_AUDIENCE: Type.String({ default: 'weir-api' }),
  WEIR_IDP_ORG_CLAIM: Type.String({ default: 'organization' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://', description: 'A trace collector' })),
  WEIR_SERVICE_PRINCIPALS: Type.String({
    default: '{}',
    description: 'JSON: client id to {tenants: [alias] or "*", capabilities: [name]}',
  }),
});

export type KernelSettings = Static<typeof kernelSettings>;
