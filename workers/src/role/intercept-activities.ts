import { CancelledFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Telemetry } from '@weir/kernel';
import type { ActivityWatch } from '@weir/kernel/contract';
import type { ActivityGate } from './activity-gate.ts';
import { runOf } from './run-of.ts';

const MS_PER_SECOND = 1_000;

export interface InterceptDeps {
  queue: string;
  telemetry: Telemetry;
  /** Those who are told; asked for each activity. */
  watches(): readonly ActivityWatch[];
  gate: ActivityGate;
  log: { warn(facts: object, message: string): void };
}

/**
 * What happens around every activity: its wait and its end are told, it is a span of the trace that its workflow carries,
 * its log lines name that trace, and the gate is asked before its code runs.
 */
export function interceptActivities({
  queue,
  telemetry,
  watches,
  gate,
  log,
}: InterceptDeps): ActivityInterceptorsFactory {
  const tell: ActivityWatch = (...told) => {
    for (const watch of watches()) {
      try {
        watch(...told);
      } catch (error) {
        log.warn({ err: error }, 'a watch over activities failed; the activity goes on');
      }
    }
  };
  return ({ info }) => {
    let traceId: string | undefined;
    return {
      outbound: { getLogAttributes: (input, next) => next(traceId === undefined ? input : { ...input, traceId }) },
      inbound: {
        async execute(input, next) {
          const began = Date.now();
          // The engine's clock may be ahead of ours.
          tell(queue, Math.max(0, began - info.currentAttemptScheduledTimestampMs) / MS_PER_SECOND);
          const ended = (outcome: Parameters<ActivityWatch>[2]) =>
            tell(queue, (Date.now() - began) / MS_PER_SECOND, outcome);
          const parent = traceparentIn(input.headers);
          traceId = parent?.split('-')[1];
          const facts = {
            name: `activity.${info.activityType}`,
            parent,
            attributes: { ...runOf(info.workflowExecution?.workflowId), attempt: info.attempt },
            logged: true,
          };
          try {
            const result = await telemetry.span(facts, async () => {
              await gate(info.activityType, input.args[0]);
              return next(input);
            });
            ended('succeeded');
            return result;
          } catch (error) {
            ended(error instanceof CancelledFailure ? 'cancelled' : 'failed');
            throw error;
          }
        },
      },
    };
  };
}

/** The trace that a workflow hands on; undefined when it carries none, or none that can be read. */
function traceparentIn(headers: Headers): string | undefined {
  const header = headers.traceparent;
  return header === undefined ? undefined : String(defaultPayloadConverter.fromPayload(header));
}
