/** How many a heartbeat tells at most: who stops a run more often than that without a commit has its oldest stops count as tries. */
const MAX_UNCOUNTED = 1_000;

/** How a counted attempt ended. */
export interface FailedAttempt {
  number: number;
  ms: number;
  faultId?: string | undefined;
}

/** How many of these a heartbeat tells at most; a run is given up before it has more. */
const MAX_FAILED = 16;

/** Attempts excluded from the retry limit: cancelled ones, and ones whose progress is unknown. */
export interface UncountedAttempts {
  /** Their numbers. */
  numbers(): readonly number[];
  add(number: number): void;
  /** Notes how a counted attempt failed; whether the one before it did by the same fault. */
  failed(ended: FailedAttempt): boolean;
  /** How long the failed attempts that are not forgotten took, together; milliseconds. */
  idleMs(): number;
  /** Forgets those up to one that brought the run forward: they count for nothing, whatever they were. */
  forgetUntil(gotOnAt: number): void;
  /** Tells how far this attempt is, beside them. */
  progress(pulse: object): void;
}

/**
 * Keeps them in what attempts tell by heartbeats: `told` by the one before, `beat` for the next one, which is given them however soon
 * this attempt ends. They grow by one with such an attempt, and end with the run.
 */
export function uncountedAttempts(told: unknown, beat: (details: unknown) => void): UncountedAttempts {
  let numbers = numbersIn(told);
  let ended = failedIn(told);
  let latest: object = {};
  const tell = () => beat({ ...latest, uncounted: numbers, ...(ended.length === 0 ? {} : { failed: ended }) });
  tell();
  return {
    numbers: () => numbers,
    add(number) {
      numbers = [...numbers, number].slice(-MAX_UNCOUNTED);
      tell();
    },
    failed(now) {
      const before = ended.at(-1);
      ended = [...ended, now].slice(-MAX_FAILED);
      tell();
      return before !== undefined && now.faultId !== undefined && before.faultId === now.faultId;
    },
    idleMs: () => ended.reduce((sum, { ms }) => sum + ms, 0),
    forgetUntil(gotOnAt) {
      ended = ended.filter(({ number }) => number > gotOnAt);
      numbers = numbers.filter((number) => number > gotOnAt);
      tell();
    },
    progress(pulse) {
      latest = pulse;
      tell();
    },
  };
}

function numbersIn(told: unknown): readonly number[] {
  const { uncounted } = (told ?? {}) as { uncounted?: unknown };
  return Array.isArray(uncounted) ? uncounted.filter((number) => Number.isInteger(number)) : [];
}

function failedIn(told: unknown): readonly FailedAttempt[] {
  const { failed } = (told ?? {}) as { failed?: unknown };
  if (!Array.isArray(failed)) return [];
  return failed.filter(({ number, ms }: Partial<FailedAttempt>) => Number.isInteger(number) && Number.isFinite(ms));
}
