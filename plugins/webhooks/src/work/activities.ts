import { createEgress, egressSettings } from '@weir/egress';
import type { WorkerDeps } from '@weir/kernel';
import { attempt, failures } from '@weir/work';
import type { DeliveryInput } from '../model/delivery-input.ts';
import { webhookSeals } from '../service/seal.ts';
import { type Delivered, deliver } from './deliver.ts';

export type WebhookActivities = ReturnType<typeof webhookActivities>;

/** Bound of one request, its redirects included. */
const REQUEST_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** What the workflow of a webhook does to the world. */
export function webhookActivities({ kernel }: WorkerDeps) {
  const allowed = egressSettings(kernel.settings as Record<string, string>);
  const bounds = { totalMs: REQUEST_MS, headersMs: REQUEST_MS, connectMs: REQUEST_MS, maxBytes: MAX_ANSWER_BYTES };
  const deps = { kernel, egress: createEgress({ ...allowed, ...bounds }), seals: webhookSeals(kernel) };
  const attempting = { log: kernel.log, failures: failures() };
  return {
    /** Sends what is due, and says when the next event is. */
    deliverEvents: (input: DeliveryInput): Promise<Delivered> =>
      attempt(attempting, input, ({ signal, log }) => deliver({ ...deps, kernel: { ...kernel, log } }, input, signal)),
  };
}
