import type { ConnectorErrorCode } from '@weir/connector-runtime';
import type { Failure } from '@weir/work';

const DISCOVERY =
  'Look into the log of the run for where it stopped, and whether the source answers. WEIR_CHECK_MAX_SECONDS sets how long it may take to accept its configuration, WEIR_DISCOVERY_MAX_SECONDS how long all of it.';

/** What to do when a connector is late: what bounds it, and what is kept of it, goes by what it was asked for. */
const HINTS = {
  discovery: [
    ['connector_never_spoke', DISCOVERY],
    ['connector_silent', DISCOVERY],
    ['connector_run_too_long', DISCOVERY],
  ],
  sync: [
    [
      'connector_never_spoke',
      'Look into the log of the run, and whether the source answers at all. A sync waits for its first word for five minutes, or for WEIR_SYNC_MAX_SILENT_SECONDS where that is less.',
    ],
    [
      'connector_silent',
      'Look into the log of the run for where it stopped. What was committed is kept, and the next attempt reads on from there. WEIR_SYNC_MAX_SILENT_SECONDS sets how long it may take.',
    ],
    [
      'connector_run_too_long',
      'Read less in one sync: fewer streams, or incremental ones. What was committed is kept.',
    ],
  ],
} as const satisfies Record<string, readonly (readonly [ConnectorErrorCode, string])[]>;

/** The failure with the hint of this work, where it is of a connector that is late. Pure. */
export function withLateHint<F extends Failure>(failure: F, work: keyof typeof HINTS): F {
  const hint = HINTS[work].find(([code]) => code === failure.code)?.[1];
  return hint === undefined ? failure : { ...failure, hint };
}
