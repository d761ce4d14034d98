import type { TaskQueueDescription, WorkflowEngineService } from '@weir/kernel';

/** Figures of a queue may be this old: an operator's screen, a scrape and a probe share one question to the engine. */
export const STATE_AGE_MS = 5_000;

/** A queue of this deployment; `description` is undefined when the engine did not answer. */
export interface QueueState {
  role: string;
  queue: string;
  plugin: string;
  description: TaskQueueDescription | undefined;
}

/** All queues as the engine saw them at one moment. */
export interface QueueStates {
  at: Date;
  queues: readonly QueueState[];
}

/** One queue for each role, with the plugins that bring it, by commas. */
export function queuesByRole(engine: Pick<WorkflowEngineService, 'queues'>): Omit<QueueState, 'description'>[] {
  const byRole = Map.groupBy(engine.queues(), ({ role }) => role);
  return [...byRole.values()].flatMap((brought) =>
    brought.slice(0, 1).map((one) => ({ ...one, plugin: brought.map(({ plugin }) => plugin).join(', ') })),
  );
}

/** Reads the state of all queues; never throws. Callers within the allowed age, and at the same time, share one answer. */
export function queueStates(
  engine: Pick<WorkflowEngineService, 'queues' | 'describeQueue'>,
  now: () => number = Date.now,
): () => Promise<QueueStates> {
  let latest: { at: number; states: Promise<QueueStates> } | undefined;
  const read = async (at: number): Promise<QueueStates> => {
    const queues = queuesByRole(engine).map(async (named) => {
      const description = await engine.describeQueue(named.queue).catch(() => undefined);
      return { ...named, description };
    });
    return { at: new Date(at), queues: await Promise.all(queues) };
  };
  return () => {
    if (latest === undefined || now() - latest.at >= STATE_AGE_MS) latest = { at: now(), states: read(now()) };
    return latest.states;
  };
}
