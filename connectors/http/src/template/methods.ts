import { formatTime, isoText } from '../time/format-time.ts';
import { civilOf, instant, isTime, KIND, SECONDS_PER_DAY, type TimeValue } from '../time/instant.ts';
import { dayOf } from '../time/parse-time.ts';
import { fraction, isNumeric, wholeOf } from './number.ts';
import { RenderError, UndefinedValue } from './render-error.ts';
import { areEqual, type Dictionary, isDictionary, MISSING, member, textOf, type Value } from './value.ts';

type Method<T> = (self: T, ...args: Value[]) => Value;

/** What texts, dictionaries, lists and times can be asked. Nothing else of a value can be called, nor read. */
const OF_TEXT = new Map<string, Method<string>>([
  ['lower', (self) => self.toLowerCase()],
  ['upper', (self) => self.toUpperCase()],
  ['title', (self) => self.replace(/[A-Za-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())],
  ['capitalize', (self) => self.charAt(0).toUpperCase() + self.slice(1).toLowerCase()],
  ['strip', (self, letters) => strip(self, letters, true, true)],
  ['lstrip', (self, letters) => strip(self, letters, true, false)],
  ['rstrip', (self, letters) => strip(self, letters, false, true)],
  ['split', (self, mark, most) => split(self, mark, most)],
  ['rsplit', (self, mark, most) => rsplit(self, mark, most)],
  ['splitlines', (self) => self.replace(/\r?\n$/, '').split(/\r?\n/)],
  ['replace', (self, from = '', to = '') => self.replaceAll(textOf(from), () => textOf(to))],
  ['startswith', (self, begin = '') => anyOf(begin, (text) => self.startsWith(text))],
  ['endswith', (self, end = '') => anyOf(end, (text) => self.endsWith(text))],
  ['find', (self, part = '') => self.indexOf(textOf(part))],
  ['count', (self, part = '') => self.split(textOf(part)).length - 1],
  ['join', (self, items) => (Array.isArray(items) ? items.map(textOf).join(self) : MISSING)],
  ['isdigit', (self) => /^\d+$/.test(self)],
  ['isalpha', (self) => /^\p{L}+$/u.test(self)],
  ['zfill', (self, width = 0) => self.padStart(Math.min(numberOf(width), 1000), '0')],
]);

const OF_DICTIONARY = new Map<string, Method<Dictionary>>([
  ['get', (self, name = '', fallback = null) => orElse(member(self, textOf(name)), fallback)],
  ['keys', (self) => Object.keys(self)],
  ['values', (self) => Object.values(self)],
  ['items', (self) => Object.entries(self).map(([name, held]) => [name, held])],
]);

const OF_LIST = new Map<string, Method<Value[]>>([
  ['count', (self, one = MISSING) => self.filter((item) => areEqual(item, one)).length],
  ['index', (self, one = MISSING) => self.findIndex((item) => areEqual(item, one))],
]);

const OF_TIME = new Map<string, Method<TimeValue>>([
  ['strftime', (self, format = '') => formatTime(momentOf(self), textOf(format))],
  ['isoformat', (self) => (self[KIND] === 'day' ? textOf(self) : isoText(momentOf(self)))],
  ['timestamp', (self) => fraction(Number(momentOf(self).micros) / 1e6)],
  ['date', (self) => dayOf(momentOf(self))],
  ['weekday', (self) => civilOf(momentOf(self)).weekday],
  ['total_seconds', (self) => (self[KIND] === 'span' ? fraction(Number(self.micros) / 1e6) : MISSING)],
]);

/** Calls a method that a value has in a template; RenderError when it has none of that name. */
export function callMethod(self: Value, name: string, args: readonly Value[]): Value {
  if (self === MISSING) throw new UndefinedValue();
  const call = methodOf(self, name);
  if (call === undefined) throw new RenderError(`there is no method ${name} of such a value`);
  return call(...args);
}

function methodOf(self: Value, name: string): ((...args: Value[]) => Value) | undefined {
  const bound = <T>(table: Map<string, Method<T>>, value: T) => {
    const method = table.get(name);
    return method === undefined ? undefined : (...args: Value[]) => method(value, ...args);
  };
  if (typeof self === 'string') return bound(OF_TEXT, self);
  if (Array.isArray(self)) return bound(OF_LIST, self);
  if (isTime(self)) return bound(OF_TIME, self);
  return isDictionary(self) ? bound(OF_DICTIONARY, self) : undefined;
}

/** A part of a time by its name. */
export function attributeOf(time: TimeValue, name: string): Value {
  if (time[KIND] === 'span') {
    const seconds = time.micros / 1_000_000n;
    if (name === 'days') return Number(seconds / BigInt(SECONDS_PER_DAY));
    return name === 'seconds' ? Number(seconds % BigInt(SECONDS_PER_DAY)) : MISSING;
  }
  const { year, month, day, hour, minute, second, micro } = civilOf(momentOf(time));
  const parts: Record<string, number> = { year, month, day, hour, minute, second, microsecond: micro };
  return Object.hasOwn(parts, name) ? (parts[name] as number) : MISSING;
}

function momentOf(time: TimeValue) {
  if (time[KIND] === 'instant') return time;
  if (time[KIND] === 'day') return instant(BigInt(time.days) * BigInt(SECONDS_PER_DAY) * 1_000_000n);
  throw new RenderError('a length of time is no moment');
}

const orElse = (value: Value, fallback: Value) => (value === MISSING ? fallback : value);
const numberOf = (value: Value) => (isNumeric(value) ? Number(wholeOf(value) ?? 0n) : 0);
const anyOf = (given: Value, test: (text: string) => boolean) =>
  Array.isArray(given) ? given.some((one) => test(textOf(one))) : test(textOf(given));

function strip(self: string, letters: Value = null, atStart: boolean, atEnd: boolean): string {
  const set = letters === null ? undefined : new Set(textOf(letters));
  const isOut = (letter: string) => (set === undefined ? letter.trim() === '' : set.has(letter));
  let [from, to] = [0, self.length];
  while (atStart && from < to && isOut(self[from] ?? '')) from += 1;
  while (atEnd && to > from && isOut(self[to - 1] ?? '')) to -= 1;
  return self.slice(from, to);
}

function split(self: string, mark: Value = null, most: Value = null): Value[] {
  if (mark === null) return self.trim() === '' ? [] : self.trim().split(/\s+/);
  const parts = self.split(textOf(mark));
  const limit = most === null ? -1 : numberOf(most);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(textOf(mark))];
}

function rsplit(self: string, mark: Value = null, most: Value = null): Value[] {
  if (mark === null || most === null) return split(self, mark, most);
  const parts = self.split(textOf(mark));
  const kept = Math.max(1, parts.length - numberOf(most));
  return [parts.slice(0, kept).join(textOf(mark)), ...parts.slice(kept)];
}
