import cronstrue from 'cronstrue';
import type { ScheduleTimesView } from '../contract.ts';
import type { Cron } from './cron.ts';
import { cronsOf } from './next-runs.ts';
import { isEitherDay, plainCron } from './plain-cron.ts';

const UNITS: readonly [number, string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** A schedule in words: `At 06:00, Monday through Friday, by the clocks of Europe/Kyiv`. */
export function sentence(times: ScheduleTimesView): string {
  const when =
    times.interval_seconds === null
      ? `${cronsOf(times).map(cronText).join('; ')}, by the clocks of ${times.timezone}`
      : `Every ${amount(times.interval_seconds)}${times.offset_seconds > 0 ? `, ${span(times.offset_seconds)} after the full count` : ''}`;
  return [
    when,
    ...(times.jitter_seconds > 0 ? [`up to ${span(times.jitter_seconds)} later`] : []),
    ...(times.start_at === null ? [] : [`from ${times.start_at}`]),
    ...(times.end_at === null ? [] : [`until ${times.end_at}`]),
  ].join(', ');
}

function cronText(cron: Cron): string {
  const text = cronstrue.toString(plainCron(cron), { use24HourTimeFormat: true });
  // Where both fields of days are given, either is enough.
  return isEitherDay(cron) ? text.replace(/ of the month, (?:and )?/, ' of the month, or ') : text;
}

/** `hour`, `15 minutes`. */
function amount(seconds: number): string {
  const text = span(seconds);
  return text.startsWith('1 ') ? text.slice(2) : text;
}

function span(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds % unit === 0) ?? [1, 'second'];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
