import type { ConnectorErrorCode } from './connector-error.ts';

/** How long a connector may take, in milliseconds. */
export type Deadlines = {
  /** From its start to the first line that it says. */
  readonly firstMessageMs: number;
  /** Between two records or states, or two pieces of an answer; what it is held back for is not counted. */
  readonly inactivityMs: number;
  /** All in all. */
  readonly runMs: number;
};

const MINUTE_MS = 60_000;
export const DEFAULT_DEADLINES: Deadlines = {
  firstMessageMs: 5 * MINUTE_MS,
  inactivityMs: 60 * MINUTE_MS,
  runMs: 5 * 24 * 60 * MINUTE_MS,
};
/** The deadlines of a `read` that may be so long without a record or a state. Pure. */
export function syncDeadlines(inactivityMs: number): Deadlines {
  return {
    ...DEFAULT_DEADLINES,
    firstMessageMs: Math.min(DEFAULT_DEADLINES.firstMessageMs, inactivityMs),
    inactivityMs,
  };
}

/** How long a connector may take for an answer, and how much of that before its first word and in silence. */
const ANSWER_MS = 20 * MINUTE_MS;
const FIRST_PART = 4;
const SILENT_PART = 2;

/** The deadlines of a `spec`, `check` or `discover` that may take so long all in all. Pure. */
export function answerDeadlines(runMs = ANSWER_MS): Deadlines {
  const firstMessageMs = Math.min(DEFAULT_DEADLINES.firstMessageMs, runMs / FIRST_PART);
  return { firstMessageMs, inactivityMs: runMs / SILENT_PART, runMs };
}

const LOOKS_A_DEADLINE = 4;
const MAX_LOOK_MS = 1_000;

export type Watch = {
  /** Bytes arrived. */
  readonly heard: () => void;
  /** A record or a state arrived. */
  readonly progressed: () => void;
  /** The connector is held back by us until the work is done. */
  readonly during: <T>(work: Promise<T>) => Promise<T>;
  readonly end: () => void;
};

/** Watches a connector, and tells once which of its deadlines has passed. */
export function watchDeadlines(deadlines: Deadlines, onPassed: (code: ConnectorErrorCode) => void): Watch {
  const { firstMessageMs, inactivityMs, runMs } = deadlines;
  const startedAt = performance.now();
  let isHeard = false;
  let progressedAt = startedAt;
  let held = 0;
  const passed = (): ConnectorErrorCode | undefined => {
    const now = performance.now();
    if (now - startedAt > runMs) return 'connector_run_too_long';
    if (held > 0) return undefined;
    if (!isHeard) return now - startedAt > firstMessageMs ? 'connector_never_spoke' : undefined;
    return now - progressedAt > inactivityMs ? 'connector_silent' : undefined;
  };
  const shortest = Math.min(firstMessageMs, inactivityMs, runMs);
  const timer = setInterval(
    () => {
      const code = passed();
      if (code === undefined) return;
      clearInterval(timer);
      onPassed(code);
    },
    Math.min(MAX_LOOK_MS, shortest / LOOKS_A_DEADLINE),
  );
  const progressed = () => {
    progressedAt = performance.now();
  };
  return {
    heard: () => {
      isHeard = true;
    },
    progressed,
    async during(work) {
      held += 1;
      try {
        return await work;
      } finally {
        held -= 1;
        progressed();
      }
    },
    end: () => clearInterval(timer),
  };
}
