export const RUN_LOG_FAULTS = ['unavailable', 'refused'] as const;

/** A store that does not answer (`unavailable`: the same may pass later), or will not take what it was given (`refused`). */
export class RunLogError extends Error {
  readonly code: (typeof RUN_LOG_FAULTS)[number];

  constructor(code: RunLogError['code'], reason: string, options: { cause?: unknown } = {}) {
    super(reason, options);
    this.name = 'RunLogError';
    this.code = code;
  }
}
