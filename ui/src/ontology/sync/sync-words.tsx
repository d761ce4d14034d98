import type { BackingDatasetItemView, PendingSyncView, SyncRunItemView } from '@weir/plugin-ontology/contract';
import { Ban, CheckCircle2, Clock, Loader2, type LucideIcon } from 'lucide-react';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';

type State = BackingDatasetItemView['state'];

const STATES: Readonly<Record<State, [LucideIcon, Tone, string]>> = {
  in_step: [CheckCircle2, 'good', 'In step'],
  pending: [Clock, 'warn', 'Pending'],
  syncing: [Loader2, 'busy', 'Syncing'],
  blocked: [Ban, 'bad', 'Blocked'],
};

/** Whether entities are those of the table. */
export function StateWord({ state }: { state: State }) {
  const [icon, tone, word] = STATES[state];
  return <ToneWord icon={icon} tone={tone} word={word} />;
}

/** Why a sync is due. */
export const REASON_WORDS: Readonly<Record<PendingSyncView['reason'], string>> = {
  initial: 'It was not synced yet',
  new_snapshot: 'The table has new data',
  effective_spec_changed: 'What a sync does has changed',
  recover_partial_run: 'The last sync broke off half way',
};

/** How a run found what to apply. */
const MODE_WORDS: Readonly<Record<NonNullable<SyncRunItemView['mode']>, string>> = {
  skip: 'Nothing changed',
  append: 'New rows only',
  diff: 'What differs',
  full: 'Every row',
};
const REPLAY_WORDS: Readonly<Record<NonNullable<SyncRunItemView['replay_reason']>, string>> = {
  initial: 'the first sync',
  effective_spec_changed: 'what a sync does has changed',
  forced: 'it was forced',
  recover_partial_run: 'the sync before broke off',
  snapshot_lineage: 'the last snapshot is gone or was replaced',
};

/** `Every row: it was forced`. */
export function modeWords({ mode, replay_reason: why }: Pick<SyncRunItemView, 'mode' | 'replay_reason'>): string {
  if (mode === null) return '–';
  return why == null ? MODE_WORDS[mode] : `${MODE_WORDS[mode]}: ${REPLAY_WORDS[why]}`;
}

const FINGERPRINT_CHARS = 15;
/** The beginning of a fingerprint, which tells two apart. */
export const shortFingerprint = (text: string): string => `${text.slice(0, FINGERPRINT_CHARS)}…`;
