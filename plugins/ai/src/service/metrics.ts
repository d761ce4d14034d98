import type { Kernel } from '@weir/kernel';
import { PROVIDERS, type ProviderName, TASKS, type TaskName } from '../contract/envelope.ts';

const OUTCOMES = ['succeeded', 'degraded', 'failed'] as const;
const SECONDS = [0.05, 0.2, 0.8, 2, 10, 60];

export interface Measured {
  task: TaskName;
  provider: ProviderName;
  outcome: (typeof OUTCOMES)[number];
  seconds: number;
  tokens: { input: number; output: number };
}

type Measure = (measured: Measured) => void;

/** The figures of a process are registered once; its calls and its runs have services of their own. */
const registered = new WeakMap<object, Measure>();

/** Figures of AI assistance, without a tenant. */
export function measureAi(metrics: Kernel['metrics']): Measure {
  const measure = registered.get(metrics) ?? register(metrics);
  registered.set(metrics, measure);
  return measure;
}

function register(metrics: Kernel['metrics']): Measure {
  const executions = metrics.counter({
    name: 'weir_ai_executions_total',
    help: 'Proposals that were asked for',
    labels: { task: TASKS, provider: PROVIDERS, outcome: OUTCOMES },
  });
  const lasted = metrics.histogram({
    name: 'weir_ai_seconds',
    help: 'Time until a proposal was checked',
    labels: { task: TASKS },
    buckets: SECONDS,
  });
  const tokens = metrics.counter({
    name: 'weir_ai_tokens_total',
    help: 'Tokens of the remote assistant',
    labels: { direction: ['input', 'output'] },
  });
  return ({ task, provider, outcome, seconds, tokens: used }) => {
    executions({ task, provider, outcome });
    lasted({ task }, seconds);
    tokens({ direction: 'input' }, used.input);
    tokens({ direction: 'output' }, used.output);
  };
}
