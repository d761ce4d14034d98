import type { SubjectView } from '@weir/plugin-schema-registry/contract';
import { Ban, CheckCircle2, CircleDashed, type LucideIcon } from 'lucide-react';
import { type Tone, ToneWord } from '../parts/status-word.tsx';

const WORDS: Readonly<Record<SubjectView['status'], [LucideIcon, Tone, string]>> = {
  draft: [CircleDashed, 'quiet', 'Draft'],
  active: [CheckCircle2, 'good', 'In force'],
  deprecated: [Ban, 'quiet', 'Deprecated'],
};

/** Status of a version. */
export function StatusWord({ status }: { status: SubjectView['status'] }) {
  const [icon, tone, word] = WORDS[status];
  return <ToneWord icon={icon} tone={tone} word={word} />;
}
