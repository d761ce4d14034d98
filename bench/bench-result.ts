/** What a suite found: its cases in the order to be shown, and how many times the one is the other where that is asked. */
export interface BenchResult {
  suite: string;
  cases: { case: string; marks_ms: Record<string, number>; ratio?: number }[];
}
