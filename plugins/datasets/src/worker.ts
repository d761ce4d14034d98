import type { WorkerDoor } from '@weir/kernel';
import { workflowsBeside } from '@weir/work';
import { maintenanceActivities } from './maintain/activities.ts';
import { TABLE_MAINTENANCE } from './model/run-kinds.ts';
import type { DatasetSettings } from './settings.ts';

/** What the process of a rewrite holds beside DuckDB. */
const PROGRAM_MIB = 512;

/** The worker side of this plugin: the role that keeps tables healthy. */
export const worker: WorkerDoor = {
  role: TABLE_MAINTENANCE.role,
  workflowsPath: workflowsBeside(import.meta.url),
  activities: maintenanceActivities,
  slotMiB: (kernel) => (kernel.settings as unknown as DatasetSettings).WEIR_MAINTENANCE_MEMORY_MIB + PROGRAM_MIB,
  slots: 1,
  ungated: ['endMaintenance'],
};
