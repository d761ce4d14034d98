import { resolve } from 'node:path';
import { type TObject, Type } from '@sinclair/typebox';
import packageJson from '../../package.json' with { type: 'json' };
import { Refusal } from '../config/refusal.ts';
import { type Environment, readSettings } from '../config/settings.ts';
import { type Manifest, type Platform, readManifests, readPlatform } from '../plugins/manifest.ts';
import { planBoot } from './plan-boot.ts';

/** Reads the manifests and plans the boot, running no plugin; throws one `Refusal` with every fault. */
export function planPlatform(platformFile: string): { platform: Platform; order: Manifest[] } {
  const platform = readPlatform(platformFile);
  const plan = planBoot(readManifests(platform), packageJson.version);
  if (!plan.ok) throw new Refusal('plugins refused', plan.faults);
  return { platform, order: plan.order };
}

const PLATFORM = Type.Object({ WEIR_PLATFORM: Type.String({ minLength: 1, default: 'platform.json' }) });

/** The manifest that `WEIR_PLATFORM` names. */
export function platformPath(environment: Environment): string {
  const owner = 'kernel';
  return resolve(String(readSettings([{ owner, schema: PLATFORM }], environment).get(owner)?.WEIR_PLATFORM));
}

const queueName = (role: string) => `WORKFLOW_${role.toUpperCase().replaceAll('-', '_')}_TASK_QUEUE`;

/** The setting of the queue of a worker role: `WORKFLOW_<ROLE>_TASK_QUEUE`, or `<role>-task-queue`. */
export function queueSettings(role: string): { owner: string; schema: TObject } {
  const description = 'Queue that the role takes work from';
  const queue = Type.String({ minLength: 1, default: `${role}-task-queue`, description });
  return { owner: `role ${role}`, schema: Type.Object({ [queueName(role)]: queue }) };
}

/** The queue of a worker role. */
export function taskQueue(role: string, environment: Environment): string {
  const settings = queueSettings(role);
  return String(readSettings([settings], environment).get(settings.owner)?.[queueName(role)]);
}
