import type { Output } from '@weir/kernel/contract';
import type { getTransformDetail, TransformRunView } from '@weir/plugin-transforms/contract';
import type { ReactNode } from 'react';
import { FactList } from '../../parts/fact-list.tsx';
import { countText, tookText } from '../../parts/numbers.ts';
import { ShowTime } from '../../parts/show-time.tsx';
import { reasonText } from '../../runs/run-reason.ts';

interface OverviewFactsProps {
  detail: Output<typeof getTransformDetail>;
  /** The newest first. */
  runs: readonly TransformRunView[];
}

/** How fresh the table is, and what the newest run made, how long it took and what its checks said. */
export function OverviewFacts({ detail, runs }: OverviewFactsProps) {
  const written = runs.find(({ status }) => status === 'succeeded');
  const last = detail.last_run;
  const facts: [string, ReactNode][] = [
    ['Table changed', written?.ended_at ? <ShowTime key="at" at={written.ended_at} /> : 'not yet'],
    ['Rows written', written?.rows ? countText(Number(written.rows)) : '–'],
    ['Last run took', last === null ? '–' : tookText(last)],
    ['Why it ran', last === null ? '–' : reasonText(last)],
    ['Checks', checkWords(detail.checks.length, last)],
    ['In force', detail.version === null ? 'nothing yet' : `version ${detail.version}`],
  ];
  return <FactList facts={facts} />;
}

function checkWords(count: number, last: TransformRunView | null): string {
  if (count === 0) return 'none';
  const found = last?.checks ?? [];
  if (found.length === 0) return `${count}, not run yet`;
  const passed = found.filter(({ status }) => status === 'passed').length;
  return `${passed} of ${found.length} passed`;
}
