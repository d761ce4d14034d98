/** Tokens for work that keeps a core busy; whoever finds none waits its turn. */
export interface CopyTokens {
  take(): Promise<void>;
  give(): void;
}

/** Hands out `count` tokens, first come first served. */
export function copyTokens(count: number): CopyTokens {
  let free = count;
  const queue: (() => void)[] = [];
  return {
    async take() {
      if (free > 0) {
        free -= 1;
        return;
      }
      await new Promise<void>((resolve) => queue.push(resolve));
    },
    give() {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
