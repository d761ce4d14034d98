export { engineSettings } from './config/kernel-settings.ts';
export { Refusal } from './config/refusal.ts';
export { refuseToStart } from './config/refuse-to-start.ts';
export { readSettings } from './config/settings.ts';
export { type ApiServer, startApi } from './http/start-api.ts';
export {
  type BootOptions,
  bootPlatform,
  planPlatform,
  type RunningPlatform,
  taskQueue,
} from './plugins/boot-platform.ts';
export { payloadConverterPath, temporalWorkflows } from './workflows/temporal-workflows.ts';
export type { Workflows } from './workflows/workflows.ts';
