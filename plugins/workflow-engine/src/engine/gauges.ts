import type { Kernel } from '@weir/kernel';
import { TASK_TYPES } from '../contract.ts';
import { backlogOf, pollersOf } from './judge-queue.ts';
import type { QueueStates } from './queue-states.ts';

/** Registers what is known of each queue as figures. A queue that the engine does not tell of has none: never a zero. */
export function queueGauges(
  metrics: Pick<Kernel['metrics'], 'gauge'>,
  queues: readonly string[],
  states: () => Promise<QueueStates>,
): void {
  const known = async () => {
    const { at, queues } = await states();
    const told = queues.flatMap(({ queue, description }) =>
      description === undefined ? [] : [{ queue, description }],
    );
    return { at, queues: told };
  };
  const backlogs = async () => {
    const { queues } = await known();
    return queues.map(({ queue, description: { workflow, activity } }) => ({
      queue,
      ...backlogOf(workflow, activity),
    }));
  };
  metrics.gauge({
    name: 'weir_task_queue_backlog_tasks',
    help: 'Tasks that wait in a queue, about',
    labels: { queue: queues },
    read: async () => (await backlogs()).map(({ queue, tasks }) => ({ labels: { queue }, value: tasks })),
  });
  metrics.gauge({
    name: 'weir_task_queue_oldest_seconds',
    help: 'How long the first task of a queue has waited',
    labels: { queue: queues },
    read: async () => (await backlogs()).map(({ queue, oldest_seconds: value }) => ({ labels: { queue }, value })),
  });
  metrics.gauge({
    name: 'weir_task_queue_pollers',
    help: 'Workers that poll a queue for one type of tasks',
    labels: { queue: queues, type: TASK_TYPES },
    async read() {
      const { at, queues } = await known();
      return queues.flatMap(({ queue, description }) =>
        TASK_TYPES.map((type) => ({ labels: { queue, type }, value: pollersOf(description[type], at).pollers })),
      );
    },
  });
}
