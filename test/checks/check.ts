/** A check that needs no service: resolves with a word on what it looked at, rejects with what is wrong. */
export interface Check {
  readonly name: string;
  look(): Promise<string>;
}

/** Rejects with all faults; resolves with `word` when there are none. */
export function judge(faults: readonly string[], word: string): string {
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return word;
}
