import type { RunStatus } from '@weir/kernel/contract';
import type { SourceStatus } from '@weir/plugin-sources/contract';
import { Ban, CheckCircle2, CircleDashed, Clock, Loader2, type LucideIcon, SkipForward, XCircle } from 'lucide-react';

export type Tone = 'good' | 'bad' | 'busy' | 'warn' | 'quiet';

const RUNS: Readonly<Record<RunStatus, [LucideIcon, Tone, string]>> = {
  pending: [Clock, 'busy', 'Waiting'],
  running: [Loader2, 'busy', 'Running'],
  succeeded: [CheckCircle2, 'good', 'Succeeded'],
  failed: [XCircle, 'bad', 'Failed'],
  cancelled: [Ban, 'quiet', 'Cancelled'],
  skipped: [SkipForward, 'quiet', 'Skipped'],
};
const SOURCES: Readonly<Record<SourceStatus, [LucideIcon, Tone, string]>> = {
  draft: [CircleDashed, 'quiet', 'Draft'],
  discovering: [Loader2, 'busy', 'Discovering'],
  ready: [CheckCircle2, 'busy', 'Ready'],
  active: [CheckCircle2, 'good', 'Active'],
  retired: [Ban, 'quiet', 'Retired'],
};
const ICON_PX = 14;

/** Icon, word and colour together: no state is said by colour alone. */
export function ToneWord({ icon: Icon, tone, word }: { icon: LucideIcon; tone: Tone; word: string }) {
  return (
    <span className="status" data-tone={tone}>
      <Icon size={ICON_PX} aria-hidden />
      {word}
    </span>
  );
}

export function RunWord({ status }: { status: RunStatus }) {
  const [icon, tone, word] = RUNS[status];
  return <ToneWord icon={icon} tone={tone} word={word} />;
}

export function SourceWord({ status }: { status: SourceStatus }) {
  const [icon, tone, word] = SOURCES[status];
  return <ToneWord icon={icon} tone={tone} word={word} />;
}
