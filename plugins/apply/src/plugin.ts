import { definePlugin, type Kernel } from '@weir/kernel';
import { workflowEngineProblems } from '@weir/plugin-workflow-engine/contract';
import { routes } from './api/routes.ts';
import { applyProblems } from './contract.ts';

/** Configuration as documents: planned, applied by our own calls, exported. */
export default definePlugin({
  id: 'apply',
  problems: { ...applyProblems, ...workflowEngineProblems },
  setup: (kernel) => registered(kernel, Date.now),
});

/** What the plugin registers, by a clock. */
export const registered = (kernel: Pick<Kernel, 'contributionsFor'>, now: () => number) => ({
  routes: routes(kernel, now),
});
