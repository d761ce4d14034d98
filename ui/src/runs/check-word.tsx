import type { CheckBody, CheckResultView } from '@weir/plugin-transforms/contract';
import { CheckCircle2, CircleAlert, type LucideIcon, TriangleAlert, XCircle } from 'lucide-react';
import { type Tone, ToneWord } from '../parts/status-word.tsx';

const WORDS: Readonly<Record<CheckResultView['status'], [LucideIcon, Tone, string]>> = {
  passed: [CheckCircle2, 'good', 'Passed'],
  warned: [TriangleAlert, 'warn', 'Broken, warned'],
  failed: [XCircle, 'bad', 'Broken'],
  error: [CircleAlert, 'bad', 'Could not be carried out'],
};

/** How a check ended. */
export function CheckWord({ status }: { status: CheckResultView['status'] }) {
  const [icon, tone, word] = WORDS[status];
  return <ToneWord icon={icon} tone={tone} word={word} />;
}

/** What kinds of check ask, in words. */
export const CHECK_WORDS: Readonly<Record<CheckBody['kind'], string>> = {
  not_null: 'columns are never NULL',
  unique: 'columns are unique together',
  accepted_values: 'a column has only these values',
  relationship: 'each value is in another table',
  row_count: 'the number of rows',
  freshness: 'the newest value is recent',
  sql: 'a SELECT of wrong rows finds none',
};
