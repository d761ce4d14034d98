import { type Static, Type } from '@sinclair/typebox';
import { endpoint, knownPermission, OneOf, permission, Timestamp } from '@weir/kernel/contract';

/** What a part of the platform may be. */
export const PART_STATES = ['up', 'down'] as const;

export const MODES = ['development', 'staging', 'production'] as const;

export const ADMISSION_STATES = ['open', 'closed'] as const;

/** Who may ask whether the platform works: whoever is signed in, as that depends on no tenant. */
const readStatus = knownPermission('status:read');

/** Who may look at what the platform has for a tenant: any role of it, and services that were given it. */
export const mayLook = permission('platform:read', 'viewer', { capability: 'platform:read' });

/** The platform in a glance; parts by name only. */
export const PlatformStatus = Type.Object({
  version: Type.String({ description: 'Version of the release' }),
  release_sha: Type.String(),
  mode: OneOf(MODES),
  started_at: Timestamp,
  uptime_seconds: Type.Integer({ description: 'Of the process that answers' }),
  ready: Type.Boolean({ description: 'Whether every part is up' }),
  parts: Type.Record(Type.String(), OneOf(PART_STATES)),
  admission: OneOf(ADMISSION_STATES, { description: 'Whether new runs are taken' }),
  plugins: Type.Integer({ description: 'How many plugins are loaded' }),
});
export type PlatformStatusView = Static<typeof PlatformStatus>;

export const getStatus = endpoint({
  id: 'platform.get_status',
  method: 'GET',
  path: '/status',
  summary: 'Show the state of the platform',
  access: readStatus,
  response: PlatformStatus,
  cli: 'ops status',
});

/** One part that requests need, as the answering process sees it. */
export const ServiceHealth = Type.Object({
  name: Type.String(),
  status: OneOf(PART_STATES),
  since: Type.String({ format: 'date-time', description: 'Since when this process has found it so' }),
  checked_at: Timestamp,
});
export type ServiceHealthView = Static<typeof ServiceHealth>;

export const getServicesHealth = endpoint({
  id: 'platform.get_services_health',
  method: 'GET',
  path: '/services/health',
  summary: 'Show which parts of the platform answer',
  access: readStatus,
  response: Type.Object({ healthy: Type.Boolean(), items: Type.Array(ServiceHealth) }),
  cli: 'ops health',
});
