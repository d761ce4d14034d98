import { contribute, definePlugin, provide, WorkflowEngine } from '@weir/kernel';
import { ActivityWatches } from '@weir/kernel/contract';
import { Figures, type FiguresService } from '@weir/plugin-platform/contract';
import { Schedules, workflowEngineProblems } from './contract.ts';
import { queueGauges } from './engine/gauges.ts';
import { queueStates } from './engine/queue-states.ts';
import { engineService } from './engine/service.ts';
import { activityFigures } from './figures/activity-figures.ts';
import { scheduleToStart } from './figures/schedule-to-start.ts';
import { routes } from './routes.ts';
import { schedulesService } from './schedule/service.ts';
import { startService } from './start/service.ts';
import { workflowService } from './workflow/service.ts';
import { waitForEnd } from './workflow/wait-for-end.ts';

/** The workflow engine as operators and tenants see it: health, queues, workers, and the workflows of runs. */
export default definePlugin({
  id: 'workflow-engine',
  problems: workflowEngineProblems,
  setup(kernel) {
    const engine = kernel.use(WorkflowEngine);
    const figures = kernel.use(Figures) as FiguresService | undefined;
    const queues = [...new Set(engine.queues().map(({ queue }) => queue))];
    const states = queueStates(engine);
    queueGauges(kernel.metrics, queues, states);
    return {
      routes: routes({
        engine: engineService({ engine, states, scheduleToStart: () => scheduleToStart(figures) }),
        workflows: workflowService({ kernel, engine, wait: waitForEnd() }),
        starts: startService(kernel),
      }),
      services: [provide(Schedules, schedulesService(engine))],
      contributes: [contribute(ActivityWatches, activityFigures(kernel.metrics, queues))],
    };
  },
});
