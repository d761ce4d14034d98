import { CliError } from './cli-error.ts';

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `500ms`, `30s`, `10m`, `1h`, `2d` or plain seconds; anything else is a usage error. */
export function parseDuration(text: string, flag: string): number {
  const found = millisecondsOf(text);
  if (found === undefined) throw new CliError('usage', `${flag} must be a duration such as 30s, 10m or 1h.`);
  return found;
}

function millisecondsOf(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  const unit = UNITS[match?.[2] ?? 's'];
  return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit);
}

/** A time in ISO 8601, from one or from how long ago it was, such as `7d`; anything else is a usage error. */
export function sinceTime(text: string): string {
  if (/^\d{4}-/.test(text)) return text;
  const ago = millisecondsOf(text);
  if (ago === undefined) {
    throw new CliError('usage', '--since must be a time such as 2026-01-31T08:00:00Z, or how long ago such as 10m.');
  }
  return new Date(Date.now() - ago).toISOString();
}

/** A duration for people: `0.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`;
}

/** How long ago a time was, in its largest unit: `4 min ago`. */
export function ageText(time: string, now = Date.now()): string {
  const ms = Math.max(0, now - Date.parse(time));
  const [unit, name] = AGES.find(([least]) => ms >= least) ?? [1_000, 's'];
  return Number.isNaN(ms) ? time : `${Math.floor(ms / unit)} ${name} ago`;
}

const AGES = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;
