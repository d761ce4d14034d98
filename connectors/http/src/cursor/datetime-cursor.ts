import { fault } from '../fault.ts';
import { flagIn, type Part, partIn, placeOf, readPart, templateAt, templateIn, textIn } from '../manifest/part.ts';
import { isPlainObject, type Plain, type PlainObject } from '../manifest/resolve-refs.ts';
import { injectorOf, mergeOptions, NO_OPTIONS, type Options } from '../request/request-options.ts';
import { type Dictionary, MISSING, member, textOf, type Value } from '../template/value.ts';
import { formatTime } from '../time/format-time.ts';
import { type Instant, instant, moved, now, type Span } from '../time/instant.ts';
import { parseDuration, parseIso, parseTime } from '../time/parse-time.ts';

const START_FORMAT = '%Y-%m-%dT%H:%M:%S.%f%z';
/** The most windows that one partition is cut into. */
const MAX_WINDOWS = 100_000;

export type Window = { readonly from: Instant; readonly to: Instant };

/** A stream's cursor: what of time it reads, in which windows, and how far a record brings it. */
export type DatetimeCursor = {
  readonly field: string;
  readonly isDataFeed: boolean;
  readonly isClientSide: boolean;
  /** The beginning of a first read. */
  readonly start: Instant;
  /** The moment in a record; undefined when the record has none. `cursor_value_invalid` for what is of no format. */
  readonly of: (record: Dictionary) => Instant | undefined;
  readonly parse: (text: Value) => Instant | undefined;
  readonly text: (at: Instant) => string;
  /** The windows between where the last read came to and the end of this one. */
  readonly windows: (reached: Instant | undefined, lookBehindMs: bigint) => Window[];
  /** The members of the slice of a window. */
  readonly slice: (window: Window) => Dictionary;
  readonly options: (slice: Dictionary) => Options;
  /** The earliest moment that a record may have which is wanted, where the manifest leaves that to us. */
  readonly floor: (reached: Instant | undefined) => Instant;
};

/** The cursor of a component, for one run: its end is fixed when it is made. */
export function datetimeCursorOf(part: Part, config: Dictionary): DatetimeCursor {
  const format = textIn(part, 'datetime_format', config) ?? '';
  const field = textIn(part, 'cursor_field', config) ?? '';
  const formats = formatsOf(part, format);
  const [startName, endName] = [
    textIn(part, 'partition_field_start', config) ?? 'start_time',
    textIn(part, 'partition_field_end', config) ?? 'end_time',
  ];
  const start = boundOf(part, 'start_datetime', format, config) ?? now();
  const end = boundOf(part, 'end_datetime', format, config) ?? now();
  const [step, granularity, lookback] = ['step', 'cursor_granularity', 'lookback_window'].map((name) =>
    spanIn(part, name, config),
  );
  if ((step === undefined) !== (granularity === undefined))
    throw fault('manifest_invalid', { at: part.at, what: 'step and cursor_granularity go together' });
  const injectors = (['start_time_option', 'end_time_option'] as const).map((name) => {
    const option = partIn(part, name);
    return option === undefined ? undefined : injectorOf(option, config);
  });
  const parse = (value: Value) => firstOf(formats, textOf(value));
  const behind = (from: Instant, extra: bigint) => {
    const by = lookback === undefined ? from : moved(from, lookback, -1);
    return later(start, instant(by.micros - extra, by.offset));
  };
  return {
    field,
    isDataFeed: flagIn(part, 'is_data_feed', config),
    isClientSide: flagIn(part, 'is_client_side_incremental', config),
    start,
    parse,
    text: (at) => formatTime(at, format),
    of(record) {
      const value: Value = member(record, field);
      if (value === MISSING || value === null || value === '') return undefined;
      const at = parse(value);
      if (at === undefined) throw fault('cursor_value_invalid', { at: placeOf(part, 'cursor_datetime_formats') });
      return at;
    },
    windows(reached, lookBehindMs) {
      const from = reached === undefined ? start : behind(later(reached, start), lookBehindMs * 1000n);
      const strict = flagIn(part, 'is_compare_strictly', config);
      return windowsBetween({ from, end, step, granularity, strict, at: part.at });
    },
    slice: ({ from, to }) => ({ [startName]: formatTime(from, format), [endName]: formatTime(to, format) }),
    options(slice) {
      const values: (Value | undefined)[] = [slice[startName], slice[endName]];
      return mergeOptions(
        injectors.map((inject, index) => {
          const value = values[index];
          return inject === undefined || value === undefined ? NO_OPTIONS : inject(value);
        }),
      );
    },
    floor: (reached) => (reached === undefined ? start : behind(reached, 0n)),
  };
}

const later = (a: Instant, b: Instant) => (a.micros >= b.micros ? a : b);

type Stretch = {
  readonly from: Instant;
  readonly end: Instant;
  readonly step: Span | undefined;
  readonly granularity: Span | undefined;
  readonly strict: boolean;
  readonly at: string;
};

/** Windows side by side: with a granularity each ends that much before the next begins, so that none is read twice. */
function windowsBetween({ from, end, step, granularity, strict, at }: Stretch): Window[] {
  if (from.micros > end.micros || (from.micros === end.micros && (granularity === undefined || strict))) return [];
  if (step === undefined || granularity === undefined) return [{ from, to: end }];
  const windows: Window[] = [];
  for (let begin = from; ; ) {
    const next = moved(begin, step, 1);
    if (next.micros <= begin.micros || windows.length >= MAX_WINDOWS)
      throw fault('manifest_invalid', { at: `${at}/step`, what: 'it makes too many windows' });
    if (next.micros >= end.micros) {
      windows.push({ from: begin, to: end });
      return windows;
    }
    windows.push({ from: begin, to: moved(next, granularity, -1) });
    begin = next;
  }
}

function formatsOf(part: Part, format: string): string[] {
  const given = part.fields.cursor_datetime_formats;
  return [...(Array.isArray(given) ? given.map(String) : []), format];
}

function firstOf(formats: readonly string[], text: string): Instant | undefined {
  for (const format of formats) {
    const at = parseTime(text, format);
    if (at !== undefined) return at;
  }
  return undefined;
}

function spanIn(part: Part, name: string, config: Dictionary): Span | undefined {
  const text = textIn(part, name, config);
  if (text === undefined) return undefined;
  const span = parseDuration(text);
  if (span === undefined)
    throw fault('config_invalid', { at: placeOf(part, name), what: 'an ISO 8601 duration is expected' });
  return span;
}

/** A start or an end: a text, or a MinMaxDatetime that holds it between two others. */
function boundOf(part: Part, name: string, inherited: string, config: Dictionary): Instant | undefined {
  const value = part.fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  const at = placeOf(part, name);
  if (!isPlainObject(value)) {
    const text = templateAt(String(value), at, part.parameters, []).text({ config });
    return text === '' ? undefined : timeOf(text, inherited, at);
  }
  const origins = new WeakMap<object, string>();
  const parameters = part.parameters as PlainObject;
  const bound = readPart(value as Plain, at, ['MinMaxDatetime'], { origins, parameters });
  const format = templateIn(bound, 'datetime_format')?.raw({ config }) || inherited || START_FORMAT;
  const read = (field: string) => {
    const text = textIn(bound, field, config);
    return text === undefined ? undefined : timeOf(text, format, placeOf(bound, field));
  };
  const [middle, least, most] = [read('datetime'), read('min_datetime'), read('max_datetime')];
  const raised = middle !== undefined && least !== undefined ? later(middle, least) : middle;
  return raised !== undefined && most !== undefined && raised.micros > most.micros ? most : raised;
}

function timeOf(text: string, format: string, at: string): Instant {
  const found = parseTime(text, format) ?? parseIso(text);
  if (found === undefined) throw fault('config_invalid', { at, what: 'a time of the datetime_format is expected' });
  return found;
}
