const counts = new Intl.NumberFormat('en');
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const KIBI = 1_024;
const SIXTY = 60;

export const countText = (count: number): string => counts.format(count);

/** `1 row`, `2 rows`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${countText(count)} ${count === 1 ? noun : nouns}`;

export function bytesText(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(KIBI)));
  return `${(bytes / KIBI ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

/** `1 h 03 min`, `12 s`, `0.4 s`. */
export function durationText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < SIXTY) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / SIXTY);
  if (minutes < SIXTY) return `${minutes} min ${String(Math.round(seconds % SIXTY)).padStart(2, '0')} s`;
  return `${Math.floor(minutes / SIXTY)} h ${String(minutes % SIXTY).padStart(2, '0')} min`;
}

interface Timed {
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

/** How long a run took, in milliseconds; undefined while it is open. */
export const tookMs = ({ created_at: made, started_at: begun, ended_at: ended }: Timed): number | undefined =>
  ended === null ? undefined : Math.max(0, Date.parse(ended) - Date.parse(begun ?? made));

/** The same in words. */
export function tookText(run: Timed): string {
  const ms = tookMs(run);
  return ms === undefined ? '–' : durationText(ms);
}
