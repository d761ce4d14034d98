import type { ApiServer } from './http/start-api.ts';
import type { BootOptions, RunningPlatform } from './plugins/boot-platform.ts';

export { payloadConverterPath } from '@weir/workflow-client';
export { engineSettings } from './config/kernel-settings.ts';
export { Refusal } from './config/refusal.ts';
export { refuseToStart } from './config/refuse-to-start.ts';
export { readSettings } from './config/settings.ts';
export { planPlatform, taskQueue } from './plugins/plan-platform.ts';
export { temporalWorkflows } from './workflows/temporal-workflows.ts';
export type { Workflows } from './workflows/workflows.ts';
export type { ApiServer, BootOptions, RunningPlatform };

/** Boots the platform. Only now the database layer loads, as a probe and a plan need none; so does the server below. */
export const bootPlatform = async (options: BootOptions): Promise<RunningPlatform> =>
  (await import('./plugins/boot-platform.ts')).bootPlatform(options);

/** Registers every plugin's routes and listens. */
export const startApi = async (platform: RunningPlatform): Promise<ApiServer> =>
  (await import('./http/start-api.ts')).startApi(platform);
