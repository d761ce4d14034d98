import type { WorkerDoor } from '@weir/kernel';
import { workflowsBeside } from '@weir/work';
import { ONTOLOGY_SYNC } from './model/run-kinds.ts';
import { MAP_MIB } from './service/sync/map-table.ts';
import { syncActivitiesV1 } from './work/activities.ts';

/** The worker side of contract 1, which also owns the schedules of reconciliation. */
export const worker: WorkerDoor = {
  role: ONTOLOGY_SYNC.role,
  workflowsPath: workflowsBeside(import.meta.url, 'workflows-v1'),
  activities: syncActivitiesV1,
  slotMiB: MAP_MIB,
  slots: 1,
  ungated: ['update_sync_status'],
  inert: ['probe_ontology_worker'],
};
