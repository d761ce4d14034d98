import { runProblems } from '@weir/kernel/contract';
import { scheduleEndpoints } from '@weir/plugin-schedules/contract';
import { readPipelines, runPipelines, writePipelines } from './access.ts';
import { pipelineProblems, stepProblems } from './problems.ts';

/** The routes of the schedules of pipelines. */
export const pipelineSchedules = scheduleEndpoints({
  kind: 'pipeline',
  run: 'run',
  plugin: 'pipelines',
  below: '/pipelines',
  cli: 'pipelines schedule',
  list: { path: '/pipeline-schedules', id: 'list_schedules', cli: 'pipelines schedule list' },
  access: { read: readPipelines, write: writePipelines, run: runPipelines },
  start: {
    route: 'POST /pipelines/{pipeline_id}/run',
    location: '/runs/:run_id',
    errors: [
      pipelineProblems.pipelineNotActivated,
      pipelineProblems.pipelinePaused,
      pipelineProblems.pipelineNotReady,
      stepProblems.stepsNotReady,
      stepProblems.catalogMovesOneTable,
      runProblems.runAlreadyActive,
      runProblems.noWorker,
    ],
  },
});

export const {
  get: getPipelineSchedule,
  put: putPipelineSchedule,
  remove: deletePipelineSchedule,
  pause: pausePipelineSchedule,
  resume: resumePipelineSchedule,
  trigger: triggerPipelineSchedule,
  list: listPipelineSchedules,
} = pipelineSchedules;
