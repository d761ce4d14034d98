export { canonicalJson, canonicalSha256, mergePatch } from '@weir/documents';
export { networkOf } from '@weir/http-limits';
export type { LabelValues, Metrics } from '@weir/metrics';
export { startTelemetry, type Telemetry } from '@weir/telemetry';
export { Secret, type SecretValues, type Vault, VaultError } from '@weir/vault';
export { authorize } from './auth/authorize.ts';
export {
  Platform,
  type PlatformService,
  WorkflowEngine,
  type WorkflowEngineService,
} from './boot/kernel-services.ts';
export { Refusal } from './config/refusal.ts';
export { SecretSetting } from './config/settings.ts';
export type { Principal, Tenant } from './contract/caller.ts';
export { type Contributed, contribute } from './contributions/contributions.ts';
export { type Duty, type DutyPorts, duty } from './duties/duty.ts';
export { armedFaultpoints, armFaultpoints, type FaultPoint, faultpoint } from './faultpoint.ts';
export { type AnyRoute, type CallContext, handle, requireMatch } from './http/handle.ts';
export { type Raw, raw, unchanged } from './http/raw.ts';
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
export type { ChildRegistry, WorkerDeps, WorkerDoor, WorkerRoom } from './plugins/worker-door.ts';
export { failureView, runView } from './runs/run-view.ts';
export type { Admitted, RunFailureRecord, RunKind, RunRecord, Runs, RunWorkerView } from './runs/runs.ts';
export type { Tenants } from './tenancy/tenants.ts';
export { isLive, POLLER_LIVE_MS, type TaskQueueDescription } from './workflows/workflows.ts';
