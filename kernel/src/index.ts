export { EXIT_REFUSED, Refusal } from './config/refusal.ts';
export { SecretSetting } from './config/settings.ts';
export { type AnyRoute, type CallContext, handle, requireMatch } from './http/handle.ts';
export { mergePatch } from './http/merge-patch.ts';
export { decodePageToken, encodePageToken } from './persistence/page-token.ts';
export type { Entity, PageOrders, PageRequest, TenantDb, TenantTransaction } from './persistence/tenant-db.ts';
export {
  definePlugin,
  type PluginSpec,
  type Provided,
  provide,
  type Registration,
  type WeirPlugin,
} from './plugins/define-plugin.ts';
export type { Kernel, Mode } from './plugins/kernel.ts';
export type { RunFailureRecord, RunKind, RunRecord, Runs } from './runs/runs.ts';
export type { Principal, Tenant } from './tenancy/tenant.ts';
export type { Tenants } from './tenancy/tenants.ts';
