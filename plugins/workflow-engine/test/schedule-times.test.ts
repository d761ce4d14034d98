import { isDeepStrictEqual } from 'node:util';
import { Cron as Croner } from 'croner';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import type { ScheduleTimesView } from '../src/contract.ts';
import { clockChanges } from '../src/schedule/clock-changes.ts';
import { type Cron, parseCron } from '../src/schedule/cron.ts';
import { engineCrons } from '../src/schedule/engine-crons.ts';
import { cronsOf, isDue, localTime, nextInstants, nextRuns } from '../src/schedule/next-runs.ts';
import { plainCron } from '../src/schedule/plain-cron.ts';
import { readTimes } from '../src/schedule/read-times.ts';
import { sentence } from '../src/schedule/sentence.ts';
import { clockShifts, offsetAt, wallClock } from '../src/schedule/zone.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-21T20:00:00Z');
const RUNS = { numRuns: cases(1_000) };
/** Whole and half hours east and west, changes of half an hour and at midnight, a winter that is the exception, none. */
const ZONES = [
  ...['UTC', 'Europe/Kyiv', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'America/St_Johns'],
  ...['Australia/Lord_Howe', 'Asia/Kathmandu', 'Africa/Casablanca', 'Asia/Beirut', 'America/Havana'],
  ...['Pacific/Chatham', 'Atlantic/Azores', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Africa/Cairo'],
];
const CHANGING = ZONES.filter((zone) => clockShifts(zone, NOW.getTime(), 400).length > 0);

const DEFAULTS: ScheduleTimesView = {
  ...{ cron: [], interval_seconds: null, offset_seconds: 0, timezone: 'UTC', jitter_seconds: 0 },
  ...{ catchup_window_seconds: 3_600, start_at: null, end_at: null },
};
const by = (cron: string | string[], timezone: string): ScheduleTimesView => ({
  ...DEFAULTS,
  ...{ cron: [cron].flat(), timezone },
});

const field = (min: number, max: number) => {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: max - min });
  const item = fc.oneof(
    value.map(String),
    range,
    fc.tuple(range, step).map((parts) => parts.join('/')),
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    step.map((by) => `*/${by}`),
    { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')) },
  );
};
const starOr = (arbitrary: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, arbitrary);
const cronText = fc
  .tuple(field(0, 59), field(0, 23), starOr(field(1, 28)), starOr(field(1, 12)), starOr(field(0, 6)))
  .map((fields) => fields.join(' '));
const zone = fc.constantFrom(...ZONES);
const instant = fc.integer({ min: 0, max: 400 * 1_440 }).map((minute) => new Date(NOW.getTime() + minute * MINUTE_MS));

/** The definition, minute by minute. */
function scanned(times: ScheduleTimesView, from: number, to: number): number[] {
  const crons = cronsOf(times);
  const found: number[] = [];
  for (let at = from + MINUTE_MS; at <= to; at += MINUTE_MS) {
    const wall = new Date(wallClock(times.timezone, at));
    const fits = crons.some((cron) => {
      const byDay = cron.days.includes(wall.getUTCDate());
      const byWeekday = cron.weekdays.includes(wall.getUTCDay());
      const date = cron.anyDay ? byWeekday : cron.anyWeekday ? byDay : byDay || byWeekday;
      const time = cron.minutes.includes(wall.getUTCMinutes()) && cron.hours.includes(wall.getUTCHours());
      return date && time && cron.months.includes(wall.getUTCMonth() + 1);
    });
    if (fits) found.push(at);
  }
  return found;
}

t.test('law: away from changes of the clocks the next runs are those of another implementation of cron', async () => {
  fc.assert(
    fc.property(cronText, zone, instant, (cron, timezone, from) => {
      const mine = nextInstants(by(cron, timezone), from, 4);
      const last = mine.at(-1)?.getTime() ?? from.getTime();
      const days = Math.ceil((last - NOW.getTime()) / DAY_MS) + 2;
      const near = clockShifts(timezone, NOW.getTime(), Math.max(days, 2)).some(
        ({ at }) => at >= from.getTime() - DAY_MS && at <= last + DAY_MS,
      );
      // croner loses the first of March behind a February without the day that it looks for.
      const isInEveryMonth = cronsOf(by(cron, timezone)).every(
        ({ anyDay, days }) => anyDay || (days.at(-1) ?? 0) <= 28,
      );
      fc.pre(!near && isInEveryMonth);
      const theirs = new Croner(cron, { timezone, paused: true }).nextRuns(4, from);
      return JSON.stringify(mine) === JSON.stringify(theirs);
    }),
    RUNS,
  );
});

t.test(
  'law: around every change of the clocks the runs are the minutes at which the clocks show a time of it',
  async () => {
    const near = fc.constantFrom(...CHANGING).chain((timezone) => {
      const shifts = clockShifts(timezone, NOW.getTime(), 400);
      return fc.record({ timezone: fc.constant(timezone), shift: fc.constantFrom(...shifts) });
    });
    fc.assert(
      fc.property(cronText, near, (cron, { timezone, shift }) => {
        const times = by(cron, timezone);
        const [from, to] = [shift.at - 240 * MINUTE_MS, shift.at + 240 * MINUTE_MS];
        const wanted = scanned(times, from, to);
        const found = nextInstants(times, new Date(from), wanted.length + 1).map((at) => at.getTime());
        return JSON.stringify(found.filter((at) => at <= to)) === JSON.stringify(wanted);
      }),
      { numRuns: cases(200) },
    );
  },
);

t.test(
  'law: a change is told exactly when a time of a schedule that rests in some hour is left out or comes twice',
  async () => {
    fc.assert(
      fc.property(cronText, fc.constantFrom(...CHANGING), (cron, timezone) => {
        const times = by(cron, timezone);
        const told = new Map(clockChanges(times, NOW).map((change) => [Date.parse(change.at), change]));
        return clockShifts(timezone, NOW.getTime(), 400).every(({ at, before, after }) => {
          const [low, high] = [Math.min(before, after), Math.max(before, after)];
          const lost = scanned(
            { ...times, timezone: 'UTC' },
            at + low * MINUTE_MS - MINUTE_MS,
            at + high * MINUTE_MS - MINUTE_MS,
          );
          const expected =
            lost.length === 0 || parseCron(cron)?.hours.length === 24
              ? undefined
              : after > before
                ? 'skipped'
                : 'doubled';
          return told.get(at)?.effect === expected;
        });
      }),
      RUNS,
    );
  },
);

t.test('law: what the engine is told in UTC holds every run, wherever the clocks of the zone are', async () => {
  fc.assert(
    fc.property(cronText, zone, instant, (cron, timezone, from) => {
      const times = by(cron, timezone);
      const engine = by(engineCrons(cronsOf(times), timezone, NOW.getTime()), 'UTC');
      return nextInstants(times, from, 6).every((at) => isDue(engine, at) && isDue(times, at));
    }),
    RUNS,
  );
});

t.test('law: an interval counts from 1970, whatever the clocks do, inside of its window', async () => {
  const every = fc.integer({ min: 1, max: 100_000 });
  fc.assert(
    fc.property(
      every,
      fc.nat(),
      instant,
      fc.integer({ min: 1, max: 200_000 }),
      (interval_seconds, seed, from, later) => {
        const offset_seconds = seed % interval_seconds;
        const start_at = new Date(from.getTime() + later * 1_000).toISOString();
        const found = nextInstants({ ...DEFAULTS, interval_seconds, offset_seconds, start_at }, from, 3);
        const [first = 0, second = 0] = found.map((at) => at.getTime() / 1_000);
        const start = Date.parse(start_at) / 1_000;
        return (
          first % interval_seconds === offset_seconds &&
          second - first === interval_seconds &&
          first >= start &&
          first - start < interval_seconds
        );
      },
    ),
    RUNS,
  );
});

t.test('a request is read, or refused by place and rule', async (t) => {
  const codes = (given: object) => {
    const read = readTimes(given as never, NOW);
    return 'faults' in read ? read.faults.map(({ pointer, code }) => `${pointer} ${code}`) : read.times;
  };
  t.match(codes({ cron: ['0  6 * *  mon-fri'], timezone: 'Europe/Kyiv' }), {
    cron: ['0 6 * * mon-fri'],
    jitter_seconds: 0,
  });
  t.match(codes({ interval_seconds: 60, start_at: '2026-12-01T00:00:00+02:00' }), {
    start_at: '2026-11-30T22:00:00.000Z',
  });
  t.strictSame(codes({}), ['/cron required']);
  t.strictSame(codes({ cron: ['0 0 * * *'], interval_seconds: 5 }), ['/interval_seconds not_with_cron']);
  t.strictSame(codes({ cron: ['0 0 * * *'], offset_seconds: 5 }), ['/offset_seconds needs_interval']);
  t.strictSame(codes({ interval_seconds: 5, offset_seconds: 5 }), ['/offset_seconds not_below_interval']);
  t.strictSame(codes({ cron: ['0 0 * * *', '0 0 31 2 *', '* * * *'] }), ['/cron/1 never_runs', '/cron/2 not_cron']);
  for (const timezone of ['Mars/Base', '+02:00', 'Europe/Kyiv ', ''])
    t.strictSame(codes({ interval_seconds: 5, timezone }), ['/timezone unknown_zone'], timezone);
  for (const start_at of ['2026-12-31T23:59:60Z', '9999-12-31T23:59:59-23:00', '2100-01-01T00:00:00Z'])
    t.strictSame(codes({ interval_seconds: 5, start_at }), ['/start_at no_such_time'], start_at);
  const end_at = '2026-11-21T00:00:00Z';
  t.strictSame(codes({ interval_seconds: 5, end_at }), ['/end_at past']);
  t.strictSame(codes({ interval_seconds: 5, end_at, start_at: end_at }), ['/end_at not_after_start']);
});

t.test('what is no cron of five fields is none', async (t) => {
  for (const bad of [
    '60 * * * *',
    '* 24 * * *',
    '0 0 0 * *',
    '0 0 * 13 *',
    '0 0 * * 8',
    '@daily',
    '0 0 L * *',
    '5/15 * * * *',
  ])
    t.equal(parseCron(bad), undefined, bad);
  for (const bad of [
    '0 0 * * MON#2',
    '0 0 ? * *',
    '1,,2 * * * *',
    '*/0 * * * *',
    '30-10 * * * *',
    '-1 * * * *',
    '0 0 0 * * *',
    'mon * * * *',
  ])
    t.equal(parseCron(bad), undefined, bad);
  t.strictSame(parseCron('0 0 * jan,DEC Sun,5-7')?.weekdays, [0, 5, 6]);
});

t.test('the runs of a day on which clocks change, in words and in both times', async (t) => {
  const daily = by('30 2 * * *', 'Europe/Berlin');
  t.match(clockChanges(daily, NOW), [
    {
      at: '2027-03-28T01:00:00.000Z',
      effect: 'skipped',
      wall_times: ['02:30'],
      note: /forward from 02:00 to 03:00: 02:30 is not there/,
    },
    { at: '2027-10-31T01:00:00.000Z', effect: 'doubled', note: /back from 03:00 to 02:00: 02:30 is there twice/ },
  ]);
  t.strictSame(nextRuns(daily, new Date('2027-03-26T12:00:00Z'), 2), [
    { at: '2027-03-27T01:30:00.000Z', local: '2027-03-27T02:30:00+01:00' },
    { at: '2027-03-29T00:30:00.000Z', local: '2027-03-29T02:30:00+02:00' },
  ]);
  t.equal(clockChanges(by('15 * * * *', 'Europe/Berlin'), NOW).length, 0, 'one of every hour goes on at its pace');
  t.equal(localTime('America/St_Johns', new Date('2026-12-01T00:00:00Z')), '2026-11-30T20:30:00-03:30');
  t.equal(offsetAt('Asia/Kathmandu', NOW.getTime()), 345);
});

t.test('a schedule is said in words', async (t) => {
  t.equal(sentence(by('0 6 * * 1-5', 'Europe/Kyiv')), 'At 06:00, Monday through Friday, by the clocks of Europe/Kyiv');
  t.match(sentence(by('30 2 13 * 5', 'UTC')), /day 13 of the month, or on Friday/);
  t.equal(sentence({ ...DEFAULTS, interval_seconds: 3_600 }), 'Every hour');
  t.equal(
    sentence({ ...DEFAULTS, interval_seconds: 900, offset_seconds: 60, jitter_seconds: 30 }),
    'Every 15 minutes, 1 minute after the full count, up to 30 seconds later',
  );
});

t.test(
  'what a schedule is said to be is true of steps that do not come round evenly, and of days of either kind',
  async (t) => {
    const said = (cron: string) => sentence(by(cron, 'UTC')).replace(', by the clocks of UTC', '');
    const sentences: [string, string][] = [
      ['*/45 1-3 * * sun', 'At 0 and 45 minutes past the hour, between 01:00 and 03:59, only on Sunday'],
      ['*/7 5 * * *', 'At 0, 7, 14, 21, 28, 35, 42, 49, and 56 minutes past the hour, between 05:00 and 05:59'],
      ['*/15 * * * *', 'Every 15 minutes'],
      ['3-59/10 * * * *', 'Every 10 minutes, starting at 3 minutes past the hour'],
      ['15,45 * * * *', 'At 15 and 45 minutes past the hour'],
      ['0 */5 * * *', 'At 00:00, 05:00, 10:00, 15:00 and 20:00'],
      ['0 */2 * * *', 'On the hour, every 2 hours'],
      ['30 6,18 * * *', 'At 06:30 and 18:30'],
      ['0 8-18 * * 1-5', 'Every hour, between 08:00 and 18:00, Monday through Friday'],
      ['*/15 */12 * * *', 'Every 15 minutes, at 00:00 through 00:59 and 12:00 through 12:59'],
      ['0 0 */10 * *', 'At 00:00, on day 1, 11, 21, and 31 of the month'],
      ['0 0 1 */5 *', 'At 00:00, on day 1 of the month, only in January, June, and November'],
      ['0 0 * * */3', 'At 00:00, only on Sunday, Wednesday, and Saturday'],
      ['0 0 13 * mon-fri', 'At 00:00, on day 13 of the month, or Monday through Friday'],
      ['0 0 */10 * 5', 'At 00:00, on day 1, 11, 21, and 31 of the month, or on Friday'],
      ['0 0 */1 * 5', 'At 00:00'],
    ];
    for (const [cron, wanted] of sentences) t.equal(said(cron), wanted, cron);
  },
);

t.test(
  'law: the form that a schedule is said by runs when the schedule does, and each step of it is even',
  async () => {
    const meaning = ({ minutes, hours, months, ...days }: Cron) => ({
      ...{ minutes, hours, months },
      dates: Array.from({ length: 31 * 7 }, (_, at) => {
        const [byDay, byWeekday] = [days.days.includes((at % 31) + 1), days.weekdays.includes(at % 7)];
        return days.anyDay ? byWeekday : days.anyWeekday ? byDay : byDay || byWeekday;
      }),
    });
    fc.assert(
      fc.property(cronText, (text) => {
        const cron = parseCron(text) as Cron;
        const plain = plainCron(cron);
        const [minute = '', hour = '', ...rest] = plain.split(' ');
        const isEven = (field: string, size: number) => size % Number(field.split('/')[1] ?? 1) === 0;
        // A step behind one value is cronstrue's way of saying where the steps begin.
        const read = parseCron(plain.replace(/^(\d+)\//, '$1-59/').replace(/ (\d+)\//, ' $1-23/')) as Cron;
        const isTrue = isEven(minute, 60) && isEven(hour, 24) && !rest.some((one) => one.includes('/'));
        return isTrue && isDeepStrictEqual(meaning(read), meaning(cron));
      }),
      RUNS,
    );
  },
);
