import { randomUUID } from 'node:crypto';
import { formatTime } from '../time/format-time.ts';
import { type Instant, instant, isTime, KIND, now, SECONDS_PER_DAY } from '../time/instant.ts';
import { dayOf, parseDuration, parseIso, parseTime } from '../time/parse-time.ts';
import { doubleOf, fraction, isNumeric, wholeOf } from './number.ts';
import { RenderError, UndefinedValue } from './render-error.ts';
import { compareValues, MISSING, textOf, type Value } from './value.ts';

/** A function of templates: what it is given in order, and by name. */
export type Call = (args: readonly Value[], named: ReadonlyMap<string, Value>) => Value;

const DAY_DELTA_FORMAT = '%Y-%m-%dT%H:%M:%S.%f%z';

/** The value of an argument by its place or its name. */
export function argument(
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  place: number,
  name: string,
): Value {
  if (place < args.length) return args[place] as Value;
  return named.has(name) ? (named.get(name) as Value) : MISSING;
}

/** The functions that a template can call; they are those of the reference interpreter. */
export const MACROS: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['now_utc', () => now()],
  ['today_utc', () => dayOf(now())],
  ['today_with_timezone', ([zone = 'UTC']) => dayOf(inZone(now(), textOf(zone)))],
  ['timestamp', ([time = MISSING]) => timestamp(time)],
  ['max', (args) => extreme(args, 1)],
  ['min', (args) => extreme(args, -1)],
  ['day_delta', (args, named) => dayDelta(argument(args, named, 0, 'num_days'), argument(args, named, 1, 'format'))],
  ['duration', ([text = '']) => parseDuration(textOf(text)) ?? fail('a duration is not of ISO 8601')],
  ['format_datetime', (args, named) => formatDatetime(args, named)],
  ['str_to_datetime', ([text = '']) => utc(parsed(textOf(text)))],
  ['sanitize_url', ([text = '']) => quotePlus(textOf(text))],
  [
    'camel_case_to_snake_case',
    ([text = '']) =>
      textOf(text)
        .replace(/(?<!^)(?=[A-Z])/g, '_')
        .toLowerCase(),
  ],
  ['generate_uuid', () => randomUUID()],
]);

function fail(message: string): never {
  throw new RenderError(message);
}

const utc = ({ micros }: Instant) => instant(micros);

function parsed(text: string): Instant {
  return parseIso(text) ?? fail('a time is not of ISO 8601');
}

function timestamp(time: Value): Value {
  if (time === MISSING) throw new UndefinedValue();
  if (isNumeric(time)) return wholeOf(time) === undefined ? Math.trunc(doubleOf(time)) : time;
  const at = isTime(time) && time[KIND] === 'instant' ? time : parsed(textOf(time));
  return fraction(Number(at.micros) / 1e6);
}

function extreme(args: readonly Value[], sign: 1 | -1): Value {
  const [first] = args;
  const all = args.length === 1 && Array.isArray(first) ? first : args;
  if (all.length === 0) fail('the most of nothing is asked for');
  if (all.includes(MISSING)) throw new UndefinedValue();
  return all.reduce((best, one) => {
    const order = compareValues(one, best) ?? fail('values of different kinds are compared');
    return order * sign > 0 ? one : best;
  });
}

function dayDelta(days: Value, format: Value): string {
  const count = isNumeric(days) ? doubleOf(days) : 0;
  const at = instant(now().micros + BigInt(Math.round(count * SECONDS_PER_DAY)) * 1_000_000n);
  return formatTime(at, format === MISSING ? DAY_DELTA_FORMAT : textOf(format));
}

function formatDatetime(args: readonly Value[], named: ReadonlyMap<string, Value>): string {
  const time = argument(args, named, 0, 'dt');
  const format = textOf(argument(args, named, 1, 'format'));
  const given = argument(args, named, 2, 'input_format');
  if (time === MISSING) throw new UndefinedValue();
  if (isTime(time) && time[KIND] === 'instant') return formatTime(time, format);
  const input = given === MISSING || given === null ? undefined : textOf(given);
  if (input === undefined && !isNumeric(time)) return formatTime(utc(parsed(textOf(time))), format);
  const at = parseTime(textOf(time), input ?? '%s') ?? fail('a time is not of its input_format');
  return formatTime(at, format);
}

/** A moment with the offset that a zone of the IANA list has then. */
function inZone(at: Instant, zone: string): Instant {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(Number(at.micros / 1000n)).find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? [];
    const size = Number(hours) * 3600 + Number(minutes) * 60;
    return instant(at.micros, sign === '-' ? -size : size);
  } catch {
    return fail('a time zone is not known');
  }
}

/** Percent-encoding of forms: spaces become plus signs; of marks only `_.-~` stay. */
export function quotePlus(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
