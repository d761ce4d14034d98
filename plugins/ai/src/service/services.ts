import type { Kernel } from '@weir/kernel';
import { Definitions } from '@weir/plugin-transforms/contract';
import type { AiSettings } from '../settings.ts';
import { assistance } from './assist.ts';
import { budgets } from './budget.ts';
import { executionService } from './executions.ts';
import { measureAi } from './metrics.ts';
import type { AiProvider } from './provider.ts';
import { remoteOf } from './remote.ts';
import { datasetSight } from './sight/datasets.ts';

/** What calls and runs of this plugin are carried out with; a test may name a provider of its own. */
export function aiServices(kernel: Kernel<AiSettings>, remote: AiProvider | undefined = remoteOf(kernel.settings)) {
  const executions = executionService(kernel);
  const { WEIR_AI_DAILY_CALLS: calls, WEIR_AI_DAILY_TOKENS: tokens } = kernel.settings;
  const budget = budgets(kernel, { calls, tokens });
  const measure = measureAi(kernel.metrics);
  return {
    executions,
    budgets: budget,
    assist: assistance({ kernel, executions, budgets: budget, measure, remote }),
    definitions: kernel.use(Definitions),
    datasets: datasetSight(kernel),
  };
}
