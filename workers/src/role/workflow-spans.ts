import type { InjectedSinks } from '@temporalio/worker';
import type { Telemetry } from '@weir/kernel';
import type { TraceSinks } from '../bundle/trace-workflow.ts';
import { runOf } from './run-of.ts';

/** Tells of every workflow that ends here, once: a replay tells nothing. */
export function workflowSpans(telemetry: Pick<Telemetry, 'open'>): InjectedSinks<TraceSinks> {
  return {
    trace: {
      workflowEnded: {
        callDuringReplay: false,
        fn({ workflowType, workflowId, startTime }, { parent, spanId, endedAt, outcome }) {
          const attributes = { ...runOf(workflowId), outcome };
          const span = telemetry.open({ name: `workflow.${workflowType}`, parent, spanId, at: startTime, attributes });
          span.end({ at: new Date(endedAt), failed: outcome === 'failed' });
        },
      },
    },
  };
}
