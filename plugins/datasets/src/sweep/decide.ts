import type { SWEEP_ACTIONS, SWEEP_REASONS } from '../contract.ts';

/** What is known of an entry of the ledger when it is judged. */
export interface EntryFacts {
  /** Only of a run that ended for certain. */
  runEnded: boolean;
  table: 'readable' | 'unreadable' | 'missing' | 'unnamed';
  /** The files of the entry, as they lie there now. */
  files: readonly string[];
  /** Whether there are more files than were looked at. */
  more: boolean;
  /** Whether a snapshot of the table needs a file. */
  needed(location: string): boolean;
  mark: 'none' | 'young' | 'old';
}

export interface Decision {
  action: (typeof SWEEP_ACTIONS)[number];
  reason: (typeof SWEEP_REASONS)[number];
  /** The files that no snapshot needs; these and no others are removed. */
  unneeded: readonly string[];
}

/**
 * What becomes of an entry that is older than the grace time. Whatever is not certain keeps it: nothing is removed whose
 * run may go on, or whose table cannot be asked, and nothing at all at the first look.
 */
export function decide({ runEnded, table, files, more, needed, mark }: EntryFacts): Decision {
  if (!runEnded) return { action: 'keep', reason: 'run_open', unneeded: [] };
  if (table !== 'readable') return { action: 'keep', reason: `table_${table}`, unneeded: [] };
  const unneeded = files.filter((location) => !needed(location));
  if (files.length > 0 && unneeded.length === 0 && !more) return { action: 'settle', reason: 'referenced', unneeded };
  if (mark === 'none') return { action: 'mark', reason: 'unreferenced', unneeded };
  if (mark === 'young') return { action: 'keep', reason: 'marked', unneeded };
  return { action: 'remove', reason: 'unreferenced', unneeded };
}
