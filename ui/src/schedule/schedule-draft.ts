import type { Input } from '@weir/kernel/contract';
import type { Overlap, ScheduleFactsView } from '@weir/plugin-schedules/contract';
import type { putSchedule } from '@weir/plugin-sources/contract';

/** When something runs, as it is sent; every kind of subject takes the same. */
export type ScheduleBody = NonNullable<Input<typeof putSchedule>['body']>;

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export const UNIT_SECONDS = { minutes: 60, hours: 3_600, days: 86_400 } as const;
export type Unit = keyof typeof UNIT_SECONDS;

/** How people say when something runs. */
export const RHYTHMS = ['interval', 'weekly', 'monthly', 'cron'] as const;
export type Rhythm = (typeof RHYTHMS)[number];

/** What the form holds: what another rhythm would need stays while one is chosen. */
export interface ScheduleDraft {
  rhythm: Rhythm;
  every: number;
  unit: Unit;
  /** `HH:MM` by the clocks of the zone. */
  time: string;
  days: readonly Day[];
  dayOfMonth: number;
  /** One expression a line. */
  crons: string;
  timezone: string;
  overlap: Overlap;
  jitterSeconds: number;
  catchupSeconds: number;
}

const DEFAULT_CATCHUP_S = 3_600;
const WEEKLY = /^(\d{1,2}) (\d{1,2}) \* \* (\S+)$/;
const MONTHLY = /^(\d{1,2}) (\d{1,2}) (\d{1,2}) \* \*$/;
export const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** The form of a schedule, or of a new one in a zone. */
export function draftOf(schedule: ScheduleFactsView | undefined, zone: string): ScheduleDraft {
  const draft: ScheduleDraft = {
    ...{ rhythm: 'weekly', every: 1, unit: 'hours', time: '06:00', days: DAYS, dayOfMonth: 1, crons: '0 6 * * *' },
    ...{ timezone: zone, overlap: 'skip', jitterSeconds: 0, catchupSeconds: DEFAULT_CATCHUP_S },
  };
  if (schedule === undefined) return draft;
  const { timezone, overlap, jitter_seconds: jitterSeconds, catchup_window_seconds: catchupSeconds } = schedule;
  return { ...draft, timezone, overlap, jitterSeconds, catchupSeconds, ...rhythmOf(schedule) };
}

function rhythmOf({ cron, interval_seconds: seconds }: ScheduleFactsView): Partial<ScheduleDraft> {
  if (seconds !== null) {
    const unit = (['days', 'hours', 'minutes'] as const).find((one) => seconds % UNIT_SECONDS[one] === 0) ?? 'minutes';
    return { rhythm: 'interval', every: seconds / UNIT_SECONDS[unit], unit };
  }
  const crons = cron.join('\n');
  const [, minute, hour, days] = WEEKLY.exec(crons) ?? [];
  const named = days === undefined ? undefined : daysOf(days);
  if (named !== undefined) return { rhythm: 'weekly', time: clock(hour, minute), days: named, crons };
  const [, at, by, day] = MONTHLY.exec(crons) ?? [];
  if (day !== undefined) return { rhythm: 'monthly', time: clock(by, at), dayOfMonth: Number(day), crons };
  return { rhythm: 'cron', crons };
}

const clock = (hour = '0', minute = '0') => `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;

/** The days that a field of a cron expression names; undefined for a way of naming them that the form does not have. */
function daysOf(field: string): readonly Day[] | undefined {
  if (field === '*') return DAYS;
  const named = field.split(',').flatMap((part) => {
    const [from = '', to = from] = part.toLowerCase().split('-');
    const [first, last] = [from, to].map((name) => DAYS.indexOf(name as Day));
    return first === undefined || last === undefined || first < 0 || last < first
      ? [undefined]
      : DAYS.slice(first, last + 1);
  });
  return named.every((day) => day !== undefined) ? named : undefined;
}

/** What is sent for a form. What the form does not show of the schedule that there is stays. */
export function bodyOf(draft: ScheduleDraft, before: ScheduleFactsView | undefined): ScheduleBody {
  const { start_at = null, end_at = null, offset_seconds = 0 } = before ?? {};
  const isInterval = draft.rhythm === 'interval';
  return {
    ...(isInterval
      ? { interval_seconds: draft.every * UNIT_SECONDS[draft.unit], offset_seconds }
      : { cron: cronsOf(draft) }),
    timezone: draft.timezone,
    overlap: draft.overlap,
    jitter_seconds: draft.jitterSeconds,
    catchup_window_seconds: draft.catchupSeconds,
    ...(start_at === null ? {} : { start_at }),
    ...(end_at === null ? {} : { end_at }),
  };
}

function cronsOf({ rhythm, time, days, dayOfMonth, crons }: ScheduleDraft): string[] {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  if (rhythm === 'weekly') return [`${minute} ${hour} * * ${fieldOf(days)}`];
  if (rhythm === 'monthly') return [`${minute} ${hour} ${dayOfMonth} * *`];
  return crons
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function fieldOf(days: readonly Day[]): string {
  const sorted = DAYS.filter((day) => days.includes(day));
  if (sorted.length === DAYS.length) return '*';
  return sorted.join(',') === 'mon,tue,wed,thu,fri' ? 'mon-fri' : sorted.join(',');
}

/** What is missing before the form can be sent. */
export function draftFault({ rhythm, every, time, days, dayOfMonth, crons }: ScheduleDraft): string | undefined {
  if (rhythm === 'interval') return every >= 1 ? undefined : 'Give a whole number from 1.';
  if (rhythm === 'cron') return crons.trim() === '' ? 'Give at least one expression.' : undefined;
  if (!TIME.test(time)) return 'Give a time such as 06:30.';
  if (rhythm === 'weekly') return days.length === 0 ? 'Choose at least one day.' : undefined;
  return dayOfMonth >= 1 && dayOfMonth <= 31 ? undefined : 'Give a day from 1 to 31.';
}
