import type { WorkerDoor } from '@weir/kernel';
import { workflowsBeside } from '@weir/work';
import { ONTOLOGY_SYNC_V2 } from './model/run-kinds.ts';
import { MAP_MIB } from './service/sync/map-table.ts';
import { syncActivities } from './work/activities.ts';

/** The worker side of contract 2: the role that brings entities in step with tables. */
export const worker: WorkerDoor = {
  role: ONTOLOGY_SYNC_V2.role,
  workflowsPath: workflowsBeside(import.meta.url),
  activities: syncActivities,
  slotMiB: MAP_MIB,
  slots: 1,
  ungated: ['update_sync_status_v2'],
  inert: ['probe_ontology_worker_v2'],
};
