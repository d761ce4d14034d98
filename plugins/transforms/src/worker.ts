import { availableParallelism } from 'node:os';
import type { WorkerDoor } from '@weir/kernel';
import { workflowsBeside } from '@weir/work';
import { TRANSFORM_ROLE } from './model/run-kinds.ts';
import { statementMiB } from './settings.ts';
import { transformActivities } from './work/activities.ts';

/** A statement keeps more than one core busy. */
const SLOTS_PER_CORE = 0.5;

/** The worker side of this plugin: the role that carries transforms out. */
export const worker: WorkerDoor = {
  role: TRANSFORM_ROLE,
  workflowsPath: workflowsBeside(import.meta.url),
  activities: transformActivities,
  slotMiB: statementMiB,
  slots: Math.max(1, Math.floor(availableParallelism() * SLOTS_PER_CORE)),
  ungated: ['endStep', 'endGroup'],
};
