import type { Static } from '@sinclair/typebox';
import { runProblems } from '@weir/kernel/contract';
import { type SubjectSchedule, scheduleEndpoints, subjectSchedule } from '@weir/plugin-schedules/contract';
import { readTransforms, runTransforms, writeTransforms } from './access.ts';
import { transformProblems } from './problems.ts';

/** The schedule of a transform. */
export const TransformSchedule: SubjectSchedule<'transform'> = subjectSchedule('transform');
export type TransformScheduleView = Static<typeof TransformSchedule>;

/** The routes of the schedules of transforms. */
export const transformSchedules = scheduleEndpoints({
  ...{ kind: 'transform', run: 'run', plugin: 'transforms', below: '/transforms', cli: 'transforms schedule' },
  list: { path: '/transform-schedules', id: 'list_schedules', cli: 'transforms schedule list' },
  access: { read: readTransforms, write: writeTransforms, run: runTransforms },
  start: {
    route: 'POST /transforms/{transform_id}/materialize',
    location: '/transform-runs/:run_id',
    errors: [transformProblems.transformNotReady, runProblems.runAlreadyActive, runProblems.noWorker],
  },
});

export const {
  get: getTransformSchedule,
  put: putTransformSchedule,
  remove: deleteTransformSchedule,
  pause: pauseTransformSchedule,
  resume: resumeTransformSchedule,
  trigger: triggerTransformSchedule,
  list: listTransformSchedules,
} = transformSchedules;
