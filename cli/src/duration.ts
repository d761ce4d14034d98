import { CliError } from './cli-error.ts';

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `500ms`, `30s`, `10m`, `1h`, `2d` or plain seconds; anything else is a usage error. */
export function parseDuration(text: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  const unit = UNITS[match?.[2] ?? 's'];
  if (match === null || unit === undefined) {
    throw new CliError('usage', `${flag} must be a duration such as 30s, 10m or 1h.`);
  }
  return Math.round(Number(match[1]) * unit);
}

/** A time in ISO 8601, from one or from how long ago it was, such as `7d`. */
export function sinceTime(text: string): string {
  if (/^\d{4}-/.test(text)) return text;
  return new Date(Date.now() - parseDuration(text, '--since')).toISOString();
}

/** A duration for people: `0.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
