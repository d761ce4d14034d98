import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FieldFault, kernelProblems } from '@weir/kernel/contract';
import { createTurns, takeForCall } from '@weir/turns';
import { Piscina } from 'piscina';
import { schemaProblems } from '../contract/problems.ts';
import type { Done, Task } from '../model/tasks.ts';

/** A call may use a thread for so long, and so much memory; beyond it the thread ends. */
const DEADLINE_MS = 5_000;
const MEMORY_MIB = 256;
const THREADS = 2;
const IDLE_MS = 60_000;
/** A tenant never has the last thread while another one wants it. */
const TURNS = {
  slots: THREADS,
  perTenant: 1,
  perCaller: 1,
  whileOthersMs: 1_000,
  maxWaiting: 64,
  maxWaitingOfCaller: 16,
  maxWaitMs: 10_000,
};
const PROGRAM = fileURLToPath(new URL(`../child/main${extname(import.meta.url)}`, import.meta.url));

/** Does work with schemas apart from the calls of others, bounded in time and memory. */
export interface SchemaThreads {
  /** Throws `schema_not_supported` with places below `at`, and `schema_too_costly` at a bound. */
  run(task: Task, at?: string, signal?: AbortSignal): Promise<Done>;
  stop(): Promise<void>;
}

/** Threads that start with the first task and end when none comes. */
export function schemaThreads({ deadlineMs = DEADLINE_MS, memoryMib = MEMORY_MIB } = {}): SchemaThreads {
  const turns = createTurns(TURNS);
  let pool: Piscina<Task, Done> | undefined;
  const start = () =>
    new Piscina<Task, Done>({
      filename: PROGRAM,
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: memoryMib },
    });
  return {
    async run(task, at = '/schema', signal) {
      const give = await takeForCall(turns);
      const deadline = AbortSignal.timeout(deadlineMs);
      try {
        pool ??= start();
        const done = await pool.run(task, { signal: signal ? AbortSignal.any([signal, deadline]) : deadline });
        if (done.unusable !== undefined) throw schemaProblems.schemaNotSupported({ errors: placed(done.unusable, at) });
        return done;
      } catch (error) {
        if (deadline.aborted || (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')
          throw schemaProblems.schemaTooCostly({ cause: error });
        if (signal?.aborted) throw kernelProblems.dependencyUnavailable({ cause: error });
        throw error;
      } finally {
        give();
      }
    },
    async stop() {
      await pool?.destroy();
    },
  };
}

const placed = (faults: NonNullable<Done['unusable']>, at: string): FieldFault[] =>
  faults.map(({ pointer, code, message }) => ({ pointer: `${at}${pointer}`, code, message }));
