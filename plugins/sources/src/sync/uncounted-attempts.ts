/** The attempts of a run that are no tries: those that were stopped, and those of which nobody could say whether they got on. */
export interface UncountedAttempts {
  /** Their numbers. */
  numbers(): readonly number[];
  add(number: number): void;
  /** Tells how far this attempt is, beside them. */
  progress(pulse: object): void;
}

/**
 * Keeps them in what attempts tell by heartbeats: `told` by the one before, `beat` for the next one. They grow by one with such an
 * attempt, and end with the run.
 */
export function uncountedAttempts(told: unknown, beat: (details: unknown) => void): UncountedAttempts {
  let numbers = numbersIn(told);
  let latest: object = {};
  const tell = () => beat({ ...latest, uncounted: numbers });
  return {
    numbers: () => numbers,
    add(number) {
      numbers = [...numbers, number];
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
