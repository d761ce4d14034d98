import { definePlugin } from '@weir/kernel';
import { RunLogs } from '@weir/plugin-platform/contract';
import { routes } from './api/routes.ts';
import { EXTERNAL_RUN, reportProblems } from './contract.ts';
import { reportService } from './service/reports.ts';
import { runEnds } from './service/run-ends.ts';
import { runsService } from './service/runs.ts';

/** The runs of every plugin as one list, and those that a service carries out and reports. */
export default definePlugin({
  id: 'runs',
  problems: reportProblems,
  setup(kernel) {
    const ends = runEnds({ kernel });
    const runs = runsService({ kernel, ends });
    return {
      routes: routes({ runs, reports: reportService({ kernel, runs }), logs: kernel.use(RunLogs) }),
      runKinds: [{ kind: EXTERNAL_RUN, exclusive: false }],
      drain: async () => ends.close(),
    };
  },
});
