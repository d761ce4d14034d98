import type { BootOptions, RunningPlatform } from './boot/boot-platform.ts';
import type { ApiServer } from './boot/start-api.ts';

export { payloadConverterPath } from '@weir/workflow-client';
export { planPlatform, platformPath, queueSettings, taskQueue } from './boot/plan-platform.ts';
export { engineSettings } from './config/kernel-settings.ts';
export { Refusal } from './config/refusal.ts';
export { refuseToStart } from './config/refuse-to-start.ts';
export { readSettings } from './config/settings.ts';
export { startDuties } from './duties/start-duties.ts';
export { type EnginePlace, enginePlace } from './workflows/engine-place.ts';
export { temporalWorkflows } from './workflows/temporal-workflows.ts';
export type { Workflows } from './workflows/workflows.ts';
export type { ApiServer, BootOptions, RunningPlatform };

/** Boots the platform. Only now the database layer loads, as a probe and a plan need none; so does the server below. */
export const bootPlatform = async (options: BootOptions): Promise<RunningPlatform> =>
  (await import('./boot/boot-platform.ts')).bootPlatform(options);

/** Registers every plugin's routes and listens. */
export const startApi = async (platform: RunningPlatform): Promise<ApiServer> =>
  (await import('./boot/start-api.ts')).startApi(platform);
