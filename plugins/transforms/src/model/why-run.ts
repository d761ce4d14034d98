import type { InputChange } from '@weir/plugin-datasets/contract';
import type { RunExtent } from '../contract/runs.ts';
import type { Materialization } from '../contract/transforms.ts';
import type { RunReason } from '../contract.ts';
import type { PinnedSnapshot } from './entities.ts';

/** What the last commit of a transform stood on, as it was stored with the rows. */
export interface CommittedState {
  /** The artifact that was carried out. */
  artifact_id: string;
  inputs: readonly PinnedSnapshot[];
  /** The same datasets, each at the newest snapshot that changed rows. */
  rows_at: readonly PinnedSnapshot[];
  /** The snapshot of the output that last changed rows, before the commit; null for a table without rows. */
  output_at?: string | null;
}

/** The name under which a transform marks the snapshot from which it reads on. */
export const markOf = (transformId: string): string => `transform:${transformId}`;

/** Why a run does its work, and how much of it. */
export interface Why {
  reason: RunReason;
  /** The datasets whose rows are others than they were, or that were not read before; ids. */
  moved: readonly string[];
  /** `full`: the output is rebuilt. Undefined: the whole result is added to the output, or replaces a part of it. */
  extent: RunExtent | undefined;
}

/** How the result of a definition becomes rows, and of which input it needs only what is new. */
export interface Definition {
  materialization: Materialization;
  incremental?: string | undefined;
  /** What reads a clock: the result is another one at another time. */
  clock?: readonly string[] | undefined;
}

/** What became of the inputs since the last commit, by dataset id; absent for one that was not read before. */
export type InputChanges = ReadonlyMap<string, InputChange['kind']>;

/** What a run finds: its own state, that of the last commit, and what it was asked for. */
interface Found {
  now: CommittedState;
  before: CommittedState | undefined;
  changes?: InputChanges;
  definition?: Definition;
  /** Whether the output holds rows of somebody else, or not those of the last commit any more. */
  isOutputMoved?: boolean;
  isForced?: boolean;
  isFullAsked?: boolean;
}

/** Reasons of full runs, by what became of the incremental input. */
const FULL_REASONS: Readonly<Partial<Record<InputChange['kind'], RunReason>>> = {
  overwritten: 'input_overwritten',
  rolled_back: 'input_rolled_back',
  expired: 'input_expired',
  columns_changed: 'columns_changed',
};

const FULL: Definition = { materialization: 'full' };
const UNKNOWN: InputChanges = new Map();

/** Why a run does its work; undefined when no row has moved since the last commit and nobody forces it. Pure. */
export function whyRun(found: Found): Why | undefined {
  const { now, before, changes = UNKNOWN, definition = FULL, isForced = false, isFullAsked = false } = found;
  const { isOutputMoved = false } = found;
  const { materialization, incremental, clock = [] } = definition;
  if (before === undefined) {
    // A table may be there already: rows are added to it where nobody asks for another.
    const adds = materialization === 'append' && incremental === undefined && !isFullAsked;
    return { reason: 'first', moved: [], extent: adds ? undefined : 'full' };
  }
  const moved = movedInputs(now, before, changes);
  const extent = materialization === 'full' || incremental !== undefined ? 'full' : undefined;
  if (isFullAsked) return { reason: 'full_asked', moved, extent: 'full' };
  if (before.artifact_id !== now.artifact_id) return { reason: 'definition_changed', moved, extent };
  // What only adds rows shares its table with others.
  const isShared = materialization === 'append' && incremental === undefined;
  if (isOutputMoved && !isShared) return { reason: 'output_moved', moved, extent };
  if (moved.length === 0) {
    if (isForced) return { reason: 'forced', moved, extent };
    return clock.length > 0 ? { reason: 'clock', moved, extent } : undefined;
  }
  if (incremental === undefined) return { reason: 'input_moved', moved, extent };
  const reason = fullReason({ moved, incremental, materialization, change: changes.get(incremental) });
  return reason === undefined ? { reason: 'input_moved', moved, extent: 'increment' } : { reason, moved, extent };
}

/** The datasets with other rows: neither at the snapshot that last changed rows, nor known to have the same. */
function movedInputs(now: CommittedState, before: CommittedState, changes: InputChanges): string[] {
  const known = new Map(before.rows_at.map(({ dataset_id, snapshot_id }) => [dataset_id, snapshot_id]));
  return now.rows_at.flatMap(({ dataset_id: id, snapshot_id }) => {
    const isSame = known.has(id) && (known.get(id) === snapshot_id || changes.get(id) === 'none');
    return isSame ? [] : [id];
  });
}

interface Moved {
  moved: readonly string[];
  incremental: string;
  materialization: Materialization;
  change: InputChange['kind'] | undefined;
}

/** Why an increment would not do; undefined where it does. */
function fullReason({ moved, incremental, materialization, change = 'expired' }: Moved): RunReason | undefined {
  if (moved.some((id) => id !== incremental)) return 'other_input_moved';
  // Rows that went cannot be taken out of a table whose rows have no names.
  if (change === 'changed' && materialization === 'append') return 'input_rows_changed';
  return FULL_REASONS[change];
}
