import type { RunView } from '@weir/plugin-runs/contract';
import type { StreamRunView, SyncRunView } from '@weir/plugin-sources/contract';
import type { TransformRunView } from '@weir/plugin-transforms/contract';
import { bytesText, countText, durationText } from '../../parts/numbers.ts';
import { reasonText } from '../run-reason.ts';

/** One thing that is compared: as it was in the earlier run and in the later one, and how it changed. */
export interface Compared {
  what: string;
  earlier: string;
  later: string;
  /** Empty where both are the same. */
  change: string;
}

const NONE = '–';
const PERCENT = 100;

type Value<R> = (run: R) => number | null;
type Words<R> = (run: R) => string | null;

function numbers<R>(what: string, runs: readonly [R, R], value: Value<R>, words: (value: number) => string): Compared {
  const [earlier, later] = [value(runs[0]), value(runs[1])];
  const shown = (one: number | null) => (one === null ? NONE : words(one));
  return { what, earlier: shown(earlier), later: shown(later), change: changeOf(earlier, later, words) };
}

/** `+1,200 (+20 %)`; no share of nothing. */
function changeOf(earlier: number | null, later: number | null, words: (value: number) => string): string {
  if (earlier === later) return '';
  if (earlier === null || later === null) return 'differs';
  const sign = later > earlier ? '+' : '−';
  const share = earlier === 0 ? '' : ` (${sign}${Math.round((Math.abs(later - earlier) / earlier) * PERCENT)} %)`;
  return `${sign}${words(Math.abs(later - earlier))}${share}`;
}

function texts<R>(what: string, runs: readonly [R, R], words: Words<R>): Compared {
  const [earlier, later] = [words(runs[0]) ?? NONE, words(runs[1]) ?? NONE];
  return { what, earlier, later, change: earlier === later ? '' : 'differs' };
}

const between = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));

/** What every run has: its result, how long it waited and took, and who asked for it. */
export function comparedRuns(runs: readonly [RunView, RunView]): Compared[] {
  return [
    texts('Result', runs, ({ status }) => status),
    texts('Why it failed', runs, ({ failure }) => failure?.detail ?? null),
    numbers('Waited', runs, ({ created_at, started_at }) => between(created_at, started_at), durationText),
    numbers('Took', runs, ({ started_at, ended_at }) => between(started_at, ended_at), durationText),
    numbers('Attempt', runs, ({ attempt }) => attempt, countText),
    texts('By', runs, ({ requested_by }) => requested_by),
  ];
}

type Sync = SyncRunView & { streams: readonly StreamRunView[] };

/** What two syncs read and wrote, as a whole and stream by stream. */
export function comparedSyncs(runs: readonly [Sync, Sync]): Compared[] {
  const names = new Map(runs.flatMap(({ streams }) => streams.map((one) => [one.stream_id, one.name] as const)));
  return [
    numbers('Rows committed', runs, ({ rows_written: rows }) => rows, countText),
    numbers('Rows read', runs, ({ rows_read: rows }) => rows, countText),
    numbers('Lines rejected', runs, ({ rows_rejected: lines }) => lines, countText),
    numbers('Bytes read, as JSON', runs, ({ bytes_read: bytes }) => bytes, bytesText),
    ...[...names].map(([id, name]) =>
      numbers(`Rows of ${name}`, runs, ({ streams }) => rowsOf(streams, id), countText),
    ),
  ];
}

const rowsOf = (streams: readonly StreamRunView[], id: string): number | null =>
  streams.find(({ stream_id }) => stream_id === id)?.rows_written ?? null;

/** What two runs of a transform read and wrote, by which definition, and which checks did not pass. */
export function comparedTransforms(runs: readonly [TransformRunView, TransformRunView]): Compared[] {
  const tables = new Set(runs.flatMap(({ inputs }) => inputs.map(({ dataset_id }) => dataset_id)));
  return [
    texts('Why it ran', runs, reasonText),
    texts('Definition', runs, ({ artifact_id: id }) => id?.slice(0, 12) ?? null),
    numbers('Rows written', runs, ({ rows }) => (rows === null ? null : Number(rows)), countText),
    texts('Checks that did not pass', runs, ({ broken_checks: broken }) => broken.join(', ') || null),
    ...[...tables].map((table) =>
      texts(
        `Snapshot of ${table}`,
        runs,
        ({ inputs }) => inputs.find((one) => one.dataset_id === table)?.snapshot_id ?? null,
      ),
    ),
  ];
}
