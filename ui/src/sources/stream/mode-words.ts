import { FAULT_SENTENCES } from '@weir/kernel/contract';
import {
  type SchemaChangePolicy,
  STREAM_FAULTS,
  type StreamRunView,
  type SyncMode,
  type WriteMode,
} from '@weir/plugin-sources/contract';
import { counted, countText } from '../../parts/numbers.ts';

/** A mode as people read it, and what it does. */
interface Words {
  label: string;
  what: string;
}

export const SYNC_WORDS: Readonly<Record<SyncMode, Words>> = {
  full_refresh: { label: 'Full refresh', what: 'Each sync reads every row of the source.' },
  incremental: { label: 'Incremental', what: 'Each sync reads the rows that are new or changed since the last one.' },
};

export const WRITE_WORDS: Readonly<Record<WriteMode, Words>> = {
  append: { label: 'Append', what: 'Rows are added to those that are there.' },
  overwrite: { label: 'Overwrite', what: 'The rows of the table are replaced, in one commit.' },
  merge: { label: 'Merge', what: 'A row replaces the one of the same key; others are added.' },
  soft_delete: {
    label: 'Merge, mark deletions',
    what: 'As merge; rows that were deleted at the source stay, with the time in _deleted_at.',
  },
};

export const POLICY_WORDS: Readonly<Record<SchemaChangePolicy, Words>> = {
  evolve: { label: 'Add columns', what: 'New fields become columns; columns take wider types where they can.' },
  freeze: { label: 'Keep the columns', what: 'A sync that brings other fields or types is refused.' },
  capture: {
    label: 'Keep new fields in _extra',
    what: 'The table stays as it is; what fits no column is in _extra as JSON.',
  },
};

/** What a sync did with fields that the table had no column for, a sentence each. */
export function fieldSentences({
  schema_changes: changes,
  rows_with_extra: rows,
}: Pick<StreamRunView, 'schema_changes' | 'rows_with_extra'>): string[] {
  const named = (change: StreamRunView['schema_changes'][number]['change']) =>
    changes.filter((one) => one.change === change).map(({ field }) => field);
  const [added, widened, captured] = [named('added'), named('widened'), named('captured')];
  const kept =
    captured.length === 0 ? 'Values that fit no column' : `No column for ${listText(captured)}: their values`;
  return [
    added.length === 0 ? '' : `New in the table: ${listText(added)}.`,
    widened.length === 0 ? '' : `Of a wider type now: ${listText(widened)}.`,
    rows === 0 && captured.length === 0 ? '' : `${kept} are in _extra of ${counted(rows, 'row')}.`,
  ].filter((sentence) => sentence !== '');
}

/** Names that a sentence lists before it counts the others. */
const MAX_NAMES = 8;

const listText = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${countText(names.length - MAX_NAMES)} more`;

/** What the settings of a stream are called. */
export const SETTING_WORDS: Readonly<Record<string, string>> = {
  enabled: 'Sync this stream',
  sync_mode: 'Sync mode',
  write_mode: 'Write mode',
  cursor_field: 'Cursor',
  primary_key: 'Primary key',
  schema_change_policy: 'When the schema changes',
};

/** The setting that a JSON pointer into a stream names. */
export const settingAt = (pointer: string): string => {
  const name = pointer.split('/')[1] ?? '';
  return SETTING_WORDS[name] ?? name.replaceAll('_', ' ');
};

/** Why a stream needs attention, in words. */
export function attentionWords(pointer: string, code: string): string {
  const sentence = STREAM_FAULTS[code] ?? FAULT_SENTENCES[code] ?? code.replaceAll('_', ' ');
  const setting = settingAt(pointer);
  return setting === '' ? sentence : `${setting} ${sentence}`;
}
