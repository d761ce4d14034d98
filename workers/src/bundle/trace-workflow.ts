import { defaultPayloadConverter } from '@temporalio/common';
import {
  ContinueAsNew,
  isCancellation,
  proxySinks,
  type Sinks,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';

/** A workflow that has ended, for the worker to tell of. */
export interface EndedWorkflow {
  parent: string;
  spanId: string;
  endedAt: number;
  outcome: 'succeeded' | 'failed' | 'cancelled';
}

export interface TraceSinks extends Sinks {
  trace: { workflowEnded(workflow: EndedWorkflow): void };
}

const SPAN_ID_DIGITS = 16;

/**
 * Runs inside of every workflow: takes the trace that it was started in from its header and hands it on to whatever it
 * starts, with a span id of its own. The id is made from the workflow's run id, so that a replay finds the same one.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const { trace } = proxySinks<TraceSinks>();
  let own: string | undefined;
  const passOn = <I extends { readonly headers: object }>(input: I): I =>
    own === undefined
      ? input
      : { ...input, headers: { ...input.headers, traceparent: defaultPayloadConverter.toPayload(own) } };
  return {
    inbound: [
      {
        async execute(input, next) {
          const { traceparent } = input.headers;
          if (traceparent === undefined) return next(input);
          const parent = String(defaultPayloadConverter.fromPayload(traceparent));
          const spanId = workflowInfo().runId.replaceAll('-', '').slice(-SPAN_ID_DIGITS);
          own = parent.replace(/-[0-9a-f]{16}-/, `-${spanId}-`);
          const ended = (outcome: EndedWorkflow['outcome']) =>
            trace.workflowEnded({ parent, spanId, endedAt: Date.now(), outcome });
          try {
            const result = await next(input);
            ended('succeeded');
            return result;
          } catch (error) {
            if (error instanceof ContinueAsNew) ended('succeeded');
            else ended(isCancellation(error) ? 'cancelled' : 'failed');
            throw error;
          }
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(passOn(input)),
        scheduleLocalActivity: (input, next) => next(passOn(input)),
        startChildWorkflowExecution: (input, next) => next(passOn(input)),
        continueAsNew: (input, next) => next(passOn(input)),
      },
    ],
  };
};
