export {
  developmentToken,
  type IdentityProviderOptions,
  type RunningIdentityProvider,
  startIdentityProvider,
} from './identity-provider/start-identity-provider.ts';
export type { PostgresBinaries } from './postgres/binaries.ts';
export { type PostgresOptions, type RunningPostgres, startPostgres } from './postgres/start-postgres.ts';
export { freePort, freePorts, StartFailed, untilReady } from './ready.ts';
export { type Exit, type Supervised, type SuperviseOptions, supervise } from './supervised.ts';
export {
  type FoundTemporal,
  findTemporal,
  type TemporalOrigin,
  type TemporalSearchEvent,
} from './temporal/find-temporal.ts';
export { type RunningTemporal, startTemporal, type TemporalOptions } from './temporal/start-temporal.ts';
export { toolCache } from './tool-cache.ts';
