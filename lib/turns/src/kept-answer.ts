/** Asks once at a time, and keeps the answer for a moment: however many ask, the work is done no more often. */
export function keptAnswer<T>(ask: () => Promise<T>, keptMs: number, now = () => performance.now()): () => Promise<T> {
  let last: { endedAt: number; answer: Promise<T> } | undefined;
  return () => {
    if (last === undefined || now() - last.endedAt >= keptMs) {
      const round = { endedAt: Number.POSITIVE_INFINITY, answer: ask() };
      last = round;
      const end = () => {
        round.endedAt = now();
      };
      round.answer.then(end, end);
    }
    return last.answer;
  };
}
