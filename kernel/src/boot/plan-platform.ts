import packageJson from '../../package.json' with { type: 'json' };
import { Refusal } from '../config/refusal.ts';
import type { Environment } from '../config/settings.ts';
import { type Manifest, type Platform, readManifests, readPlatform } from '../plugins/manifest.ts';
import { planBoot } from './plan-boot.ts';

/** Reads the manifests and plans the boot, running no plugin; throws one `Refusal` with every fault. */
export function planPlatform(platformFile: string): { platform: Platform; order: Manifest[] } {
  const platform = readPlatform(platformFile);
  const plan = planBoot(readManifests(platform), packageJson.version);
  if (!plan.ok) throw new Refusal('plugins refused', plan.faults);
  return { platform, order: plan.order };
}

/** The queue of a worker role: `WORKFLOW_<ROLE>_TASK_QUEUE`, or `<role>-task-queue`. */
export function taskQueue(role: string, environment: Environment): string {
  return environment[`WORKFLOW_${role.toUpperCase().replaceAll('-', '_')}_TASK_QUEUE`] ?? `${role}-task-queue`;
}
