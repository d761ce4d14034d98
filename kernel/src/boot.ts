import type { ApiServer } from './http/start-api.ts';
import type { BootOptions, RunningPlatform } from './plugins/boot-platform.ts';

export { engineSettings } from './config/kernel-settings.ts';
export { Refusal } from './config/refusal.ts';
export { refuseToStart } from './config/refuse-to-start.ts';
export { readSettings } from './config/settings.ts';
export { planPlatform, taskQueue } from './plugins/plan-platform.ts';
export { payloadConverterPath, temporalWorkflows } from './workflows/temporal-workflows.ts';
export type { Workflows } from './workflows/workflows.ts';
export type { ApiServer, BootOptions, RunningPlatform };

// A probe of a worker, and a plan, need neither the database layer nor the HTTP server: half a second to load.

/** Boots the platform up to where a program can listen or poll; see `plugins/boot-platform.ts`. */
export async function bootPlatform(options: BootOptions): Promise<RunningPlatform> {
  const boot = await import('./plugins/boot-platform.ts');
  return boot.bootPlatform(options);
}

/** Registers every plugin's routes and listens; see `http/start-api.ts`. */
export async function startApi(platform: RunningPlatform): Promise<ApiServer> {
  const http = await import('./http/start-api.ts');
  return http.startApi(platform);
}
