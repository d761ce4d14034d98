import type { Static } from '@sinclair/typebox';
import { runProblems } from '@weir/kernel/contract';
import { type SubjectSchedule, scheduleEndpoints, subjectSchedule } from '@weir/plugin-schedules/contract';
import { readSources, runSources, writeSources } from './access.ts';
import { sourceProblems } from './problems.ts';

/** The schedule of a source. */
export const Schedule: SubjectSchedule<'source'> = subjectSchedule('source');
export type ScheduleView = Static<typeof Schedule>;

/** The routes of the schedules of sources. */
export const sourceSchedules = scheduleEndpoints({
  ...{ kind: 'source', run: 'sync', plugin: 'sources', below: '/sources', cli: 'sources schedule' },
  list: { path: '/schedules', id: 'list_schedules', cli: 'schedules list' },
  access: { read: readSources, write: writeSources, run: runSources },
  start: {
    route: 'POST /sources/{source_id}/sync',
    location: '/sources/:source_id/sync/status?run_id=:run_id',
    errors: [
      ...[sourceProblems.sourceNotReady, sourceProblems.noStreamsEnabled, sourceProblems.streamNotSyncable],
      ...[runProblems.runAlreadyActive, runProblems.noWorker],
    ],
  },
});

export const {
  get: getSchedule,
  put: putSchedule,
  remove: deleteSchedule,
  pause: pauseSchedule,
  resume: resumeSchedule,
  trigger: triggerSchedule,
  list: listSchedules,
} = sourceSchedules;
