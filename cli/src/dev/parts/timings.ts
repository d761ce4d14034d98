import { writePrivately } from '../../write-privately.ts';

/** The moments that a start is measured by, in the order in which they come. */
export const MARKS = [
  'install',
  'parts',
  'postgres',
  'workflow_engine',
  'migrated',
  'api_ready',
  'first_discovery',
  'first_bronze_commit',
  'first_preview_row',
  'gold_chart',
  'total',
] as const;
export type Mark = (typeof MARKS)[number];

/** Collects the moments of one start, each in milliseconds since the command was given. */
export interface Timings {
  /** Only the first call for a mark counts. */
  mark(name: Mark): void;
  marks(): Partial<Record<Mark, number>>;
  /** Writes the marks so far as JSON, in one step: who reads while they are written reads those of before. */
  write(file: string): Promise<void>;
}

/** `launchedAt` (epoch ms) is when the launcher began, before it installed anything; else this process counts. */
export function timings(launchedAt: number | undefined): Timings {
  const start = launchedAt ?? performance.timeOrigin;
  const since = (epoch: number) => Math.max(0, Math.round(epoch - start));
  const marks = new Map<Mark, number>([['install', since(performance.timeOrigin)]]);
  const sorted = () =>
    Object.fromEntries(MARKS.filter((name) => marks.has(name)).map((name) => [name, marks.get(name)]));
  return {
    mark(name) {
      if (!marks.has(name)) marks.set(name, since(performance.timeOrigin + performance.now()));
    },
    marks: sorted,
    write: (file) => writePrivately(file, `${JSON.stringify(sorted(), null, 2)}\n`),
  };
}
