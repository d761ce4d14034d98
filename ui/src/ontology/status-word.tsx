import type { EntityTypeItemView } from '@weir/plugin-ontology/contract';
import { Archive, Ban, CheckCircle2, CircleDashed, type LucideIcon } from 'lucide-react';
import { type Tone, ToneWord } from '../parts/status-word.tsx';

type Status = EntityTypeItemView['status'];

/** Statuses of entity types for people. */
export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  draft: 'Draft',
  active: 'Active',
  deprecated: 'Deprecated',
  retired: 'Retired',
};
const TONES: Readonly<Record<Status, [LucideIcon, Tone]>> = {
  draft: [CircleDashed, 'quiet'],
  active: [CheckCircle2, 'good'],
  deprecated: [Ban, 'warn'],
  retired: [Archive, 'quiet'],
};

/** Status of an entity type. */
export function TypeStatusWord({ status }: { status: Status }) {
  const [icon, tone] = TONES[status];
  return <ToneWord icon={icon} tone={tone} word={STATUS_WORDS[status]} />;
}
