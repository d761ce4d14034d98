import { type Call, inCall, poolTurns } from '@weir/turns';
import type { BenchOptions, BenchResult } from './bench-result.ts';

const POOL = 10;
const CALLERS = 100;
const TENANTS = 20;
const MOST_MS = 0.1;
const THOUSAND = 1_000;

/** What a turn at the pool costs a call whose work is nothing: one at a time, and in a crowd. */
export async function turns({ quick }: BenchOptions): Promise<BenchResult> {
  const each = quick ? 100 : 1_000;
  const cases = [];
  for (const crowd of [1, 190]) {
    const ms = await costOf(crowd, crowd === 1 ? each * CALLERS : each);
    const marks = { 'a thousand calls': ms * THOUSAND };
    cases.push({ case: `${crowd} at a time`, marks_ms: marks, note: `at most ${MOST_MS * THOUSAND} ms are wanted` });
  }
  return { suite: 'turns', cases };
}

async function costOf(crowd: number, each: number): Promise<number> {
  const inTurn = poolTurns(POOL);
  const calls = Array.from({ length: CALLERS }, (_, at): Call => {
    const who = { tenant: `tenant ${at % TENANTS}`, caller: `caller ${at}` };
    return { who: () => who, gone: () => new AbortController().signal };
  });
  const began = performance.now();
  await Promise.all(
    Array.from({ length: crowd }, async (_, at) => {
      for (let done = 0; done < each; done++) {
        const call = calls[(at + done) % CALLERS];
        if (call !== undefined) await inCall(call, () => inTurn(call.who().tenant, async () => undefined));
      }
    }),
  );
  return (performance.now() - began) / (crowd * each);
}
