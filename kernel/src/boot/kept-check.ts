import type { HealthCheck } from '../contract/points.ts';

/** However many ask, a part is asked no more often than this. */
const KEPT_MS = 1_000;

/** A check that runs once at a time and whose answer is kept for a moment: callers without a token cause no work by number. */
export function keptCheck({ check, ...part }: HealthCheck, now = () => performance.now()): HealthCheck {
  let last: { endedAt: number; answer: Promise<boolean> } | undefined;
  return {
    ...part,
    check() {
      if (last === undefined || now() - last.endedAt >= KEPT_MS) {
        const round = { endedAt: Number.POSITIVE_INFINITY, answer: check().catch(() => false) };
        last = round;
        void round.answer.then(() => {
          round.endedAt = now();
        });
      }
      return last.answer;
    },
  };
}
