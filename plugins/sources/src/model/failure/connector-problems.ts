import { CONNECTOR_ERRORS } from '@weir/connector-runtime';
import { failurePages } from '@weir/work';

/** What a run fails with when a connector, its image or its engine fails, as catalogue entries. */
export const connectorProblems = failurePages(
  Object.fromEntries(
    Object.entries(CONNECTOR_ERRORS).map(([code, { origin, retryable, message, hint }]) => [
      code,
      { origin, retryable, detail: `${message}.`, hint },
    ]),
  ),
);
