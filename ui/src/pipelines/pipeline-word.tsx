import type { PipelineView } from '@weir/plugin-pipelines/contract';
import { CheckCircle2, CircleDashed, FlaskConical, type LucideIcon, Pause, ShieldCheck } from 'lucide-react';
import { type Tone, ToneWord } from '../parts/status-word.tsx';

const WORDS: Readonly<Record<PipelineView['status'], [LucideIcon, Tone, string]>> = {
  draft: [CircleDashed, 'quiet', 'Draft'],
  validated: [ShieldCheck, 'busy', 'Validated'],
  sandboxed: [FlaskConical, 'busy', 'Rehearsed'],
  activated: [CheckCircle2, 'good', 'Active'],
  paused: [Pause, 'warn', 'Paused'],
};

/** How far a pipeline is. */
export function PipelineWord({ status }: { status: PipelineView['status'] }) {
  const [icon, tone, word] = WORDS[status];
  return <ToneWord icon={icon} tone={tone} word={word} />;
}
