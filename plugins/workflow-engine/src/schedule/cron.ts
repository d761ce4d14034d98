/** A cron expression of five fields as the values that each of them takes; weekdays from 0, a Sunday. */
export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  days: readonly number[];
  months: readonly number[];
  weekdays: readonly number[];
  /** Whether the field was `*`: of two fields that say which days, both given, either is enough. */
  anyDay: boolean;
  anyWeekday: boolean;
}

interface Field {
  min: number;
  max: number;
  names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 7, names: WEEKDAYS },
];
const ITEM = /^(?:\*|([0-9a-z]{1,3})(?:-([0-9a-z]{1,3}))?)(?:\/(\d{1,2}))?$/;

/** Reads a cron expression; undefined when it is none. `7` is a Sunday, names are English, a step needs `*` or a range. */
export function parseCron(text: string): Cron | undefined {
  const parts = text.trim().toLowerCase().split(/\s+/);
  const read = FIELDS.map((field, at) => valuesOf(parts[at] ?? '', field));
  const [minutes, hours, days, months, weekdays] = read;
  if (parts.length !== FIELDS.length || !minutes || !hours || !days || !months || !weekdays) return undefined;
  return {
    ...{ minutes, hours, days, months },
    weekdays: sorted(weekdays.map((day) => day % WEEKDAYS.length)),
    anyDay: parts[2] === '*',
    anyWeekday: parts[4] === '*',
  };
}

/** Whether a day, as its date says, is one of the expression's. */
export function fitsDate(cron: Cron, date: Date): boolean {
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const byDay = cron.days.includes(date.getUTCDate());
  const byWeekday = cron.weekdays.includes(date.getUTCDay());
  if (cron.anyDay) return byWeekday;
  return cron.anyWeekday ? byDay : byDay || byWeekday;
}

function valuesOf(text: string, field: Field): number[] | undefined {
  const values: number[] = [];
  for (const item of text.split(',')) {
    const found = ITEM.exec(item);
    if (found === null) return undefined;
    const [, from, to, step = '1'] = found;
    const low = from === undefined ? field.min : numberOf(from, field);
    const high = to === undefined ? (from === undefined ? field.max : low) : numberOf(to, field);
    const by = Number(step);
    const isPoint = from !== undefined && to === undefined;
    if (low === undefined || high === undefined || low > high || by === 0) return undefined;
    if (isPoint && found[3] !== undefined) return undefined;
    for (let value = low; value <= high; value += by) values.push(value);
  }
  return sorted(values);
}

function numberOf(text: string, { min, max, names = [] }: Field): number | undefined {
  const named = names.indexOf(text);
  const value = named >= 0 ? named + min : /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= min && value <= max ? value : undefined;
}

const sorted = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b);
