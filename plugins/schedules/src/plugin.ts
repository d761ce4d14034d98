import { definePlugin, handle, provide } from '@weir/kernel';
import { Events } from '@weir/plugin-platform/contract';
import { Schedules } from '@weir/plugin-workflow-engine/contract';
import { scheduleRoutes } from './api/routes.ts';
import { previewSchedule, SubjectSchedules, scheduleProblems } from './contract.ts';
import { entities } from './model/entities.ts';
import { scheduleFacts } from './service/facts.ts';
import { applySchedules, compareSchedules } from './service/reconcile.ts';
import { previewOf, timesOf } from './service/times.ts';
import { settings } from './settings.ts';

/** Schedules of whatever a plugin contributes as a `schedule.subject`. */
export default definePlugin({
  id: 'schedules',
  settings,
  entities,
  problems: scheduleProblems,
  setup(kernel) {
    const { WEIR_SCHEDULE_MIN_SECONDS: minSeconds } = kernel.settings;
    const deps = { kernel, schedules: kernel.use(Schedules), events: kernel.use(Events), minSeconds };
    return {
      routes: [handle(previewSchedule, async ({ body }) => previewOf(deps, body))],
      services: [
        provide(SubjectSchedules, {
          routes: (endpoints) => scheduleRoutes(deps, endpoints),
          times: (given) => timesOf(deps, given, new Date()),
          ...scheduleFacts(deps),
        }),
      ],
      duties: [applySchedules(deps), compareSchedules(deps)],
    };
  },
});
