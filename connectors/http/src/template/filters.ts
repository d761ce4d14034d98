import { createHash, createHmac, getHashes } from 'node:crypto';
import { argument, type Call, quotePlus } from './macros.ts';
import { calculate, doubleOf, fraction, isNumeric, type Numeric, whole, wholeOf } from './number.ts';
import { RenderError } from './render-error.ts';
import { areEqual, compareValues, isDictionary, isTrue, MISSING, member, textOf, type Value } from './value.ts';

/** The longest text that a pattern of a manifest looks through. */
const MAX_SEARCHED = 10_000;

const itemsOf = (value: Value): Value[] =>
  Array.isArray(value) ? value : isDictionary(value) ? Object.keys(value) : [...textOf(value)];
const one =
  (apply: (value: Value) => Value): Call =>
  ([value = MISSING]) =>
    apply(value);

/** The filters that a template can use: of Jinja's and of the reference interpreter's, those that read one value. */
export const FILTERS: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['lower', one((value) => textOf(value).toLowerCase())],
  ['upper', one((value) => textOf(value).toUpperCase())],
  ['capitalize', one((value) => textOf(value).charAt(0).toUpperCase() + textOf(value).slice(1).toLowerCase())],
  ['trim', one((value) => textOf(value).trim())],
  ['length', one(countOf)],
  ['count', one(countOf)],
  ['first', one((value) => itemAt(itemsOf(value), 0))],
  ['last', one((value) => itemAt(itemsOf(value), -1))],
  ['list', one(itemsOf)],
  ['items', one((value) => (isDictionary(value) ? Object.entries(value).map(([name, held]) => [name, held]) : []))],
  [
    'unique',
    one((value) => itemsOf(value).filter((item, at, all) => all.findIndex((two) => areEqual(item, two)) === at)),
  ],
  [
    'reverse',
    one((value) => (typeof value === 'string' ? [...value].reverse().join('') : itemsOf(value).toReversed())),
  ],
  ['sort', one((value) => itemsOf(value).toSorted((a, b) => compareValues(a, b) ?? 0))],
  ['max', one((value) => edge(value, 1))],
  ['min', one((value) => edge(value, -1))],
  ['sum', one((value) => itemsOf(value).reduce<Numeric>((total, item) => calculate('+', total, numberOf(item)), 0))],
  ['abs', one((value) => (compareValues(value, 0) === -1 ? calculate('-', 0, numberOf(value)) : value))],
  ['int', ([value = MISSING, fallback = 0]) => toWhole(value) ?? fallback],
  ['float', ([value = MISSING, fallback = 0]) => toFloat(value) ?? fallback],
  ['round', ([value = MISSING, digits = 0]) => fraction(Number(doubleOf(numberOf(value)).toFixed(Number(digits))))],
  ['string', one((value) => (typeof value === 'string' ? value : `"""${JSON.stringify(value)}"""`))],
  ['tojson', one((value) => JSON.stringify(value === MISSING ? null : value))],
  ['join', ([value = MISSING, mark = '']) => itemsOf(value).map(textOf).join(textOf(mark))],
  ['replace', ([value = '', from = '', to = '']) => textOf(value).replaceAll(textOf(from), () => textOf(to))],
  ['default', orDefault],
  ['d', orDefault],
  ['urlencode', one((value) => quotePlus(textOf(value)).replaceAll('+', '%20').replaceAll('%2F', '/'))],
  ['map', (args, named) => mapped(args, named)],
  ['selectattr', ([value = MISSING, name = '']) => itemsOf(value).filter((item) => isTrue(partOf(item, textOf(name))))],
  [
    'rejectattr',
    ([value = MISSING, name = '']) => itemsOf(value).filter((item) => !isTrue(partOf(item, textOf(name)))),
  ],
  ['hash', ([value = '', kind = 'md5', salt = '']) => digest(value, textOf(kind), textOf(salt ?? ''))],
  ['hmac', ([value = '', key = '']) => createHmac('sha256', textOf(key)).update(textOf(value)).digest('hex')],
  ['base64encode', one((value) => Buffer.from(textOf(value)).toString('base64'))],
  ['base64decode', one((value) => Buffer.from(textOf(value), 'base64').toString())],
  ['base64binascii_decode', one((value) => Buffer.from(textOf(value)).toString('base64'))],
  ['regex_search', ([value = '', pattern = '']) => searched(textOf(value)).match(patternOf(pattern))?.[1] ?? ''],
  [
    'regex_replace',
    ([value = '', pattern = '', to = '']) =>
      searched(textOf(value)).replace(patternOf(pattern, 'g'), textOf(to).replace(/\\(\d)/g, '$$$1')),
  ],
]);

/** The tests behind `is`. */
export const TESTS: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['defined', one((value) => value !== MISSING)],
  ['undefined', one((value) => value === MISSING)],
  ['none', one((value) => value === null)],
  ['string', one((value) => typeof value === 'string')],
  ['number', one(isNumeric)],
  ['integer', one((value) => isNumeric(value) && wholeOf(value) !== undefined)],
  ['float', one((value) => isNumeric(value) && wholeOf(value) === undefined)],
  ['boolean', one((value) => typeof value === 'boolean')],
  ['mapping', one((value) => isDictionary(value))],
  ['sequence', one((value) => Array.isArray(value) || typeof value === 'string')],
  ['iterable', one((value) => Array.isArray(value) || typeof value === 'string' || isDictionary(value))],
  ['true', one((value) => value === true)],
  ['false', one((value) => value === false)],
  ['even', one((value) => isNumeric(value) && Number(calculate('%', value, 2)) === 0)],
  ['odd', one((value) => isNumeric(value) && Number(calculate('%', value, 2)) === 1)],
  ['divisibleby', ([value = 0, by = 1]) => Number(calculate('%', numberOf(value), numberOf(by))) === 0],
  ['in', ([value = MISSING, all = MISSING]) => itemsOf(all).some((item) => areEqual(item, value))],
]);

const itemAt = (items: readonly Value[], index: number): Value =>
  items.length === 0 ? MISSING : (items.at(index) as Value);

function countOf(value: Value): number {
  return value === MISSING ? 0 : itemsOf(value).length;
}

function numberOf(value: Value): Numeric {
  if (isNumeric(value)) return value;
  if (typeof value === 'boolean') return Number(value);
  throw new RenderError('a value that is no number is counted with');
}

function edge(value: Value, sign: 1 | -1): Value {
  const items = itemsOf(value);
  if (items.length === 0) return MISSING;
  return items.reduce((best, item) => ((compareValues(item, best) ?? 0) * sign > 0 ? item : best));
}

function toWhole(value: Value): Value | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (isNumeric(value)) return wholeOf(value) === undefined ? whole(BigInt(Math.trunc(doubleOf(value)))) : value;
  const text = typeof value === 'string' ? value.trim() : '';
  if (/^[+-]?\d{1,300}$/.test(text)) return whole(BigInt(text.replace(/^\+/, '')));
  return /^[+-]?\d+\.\d*$/.test(text) ? Math.trunc(Number(text)) : undefined;
}

function toFloat(value: Value): Value | undefined {
  if (isNumeric(value)) return wholeOf(value) === undefined ? value : fraction(doubleOf(value));
  const text = typeof value === 'string' ? value.trim() : '';
  return text !== '' && Number.isFinite(Number(text)) ? fraction(Number(text)) : undefined;
}

function orDefault(args: readonly Value[], named: ReadonlyMap<string, Value>): Value {
  const [value = MISSING] = args;
  const fallback = argument(args, named, 1, 'default_value');
  const forFalse = isTrue(argument(args, named, 2, 'boolean'));
  return value === MISSING || (forFalse && !isTrue(value)) ? (fallback === MISSING ? '' : fallback) : value;
}

function mapped(args: readonly Value[], named: ReadonlyMap<string, Value>): Value {
  const [value = MISSING, filter] = args;
  const attribute = named.get('attribute');
  if (attribute !== undefined) return itemsOf(value).map((item) => partOf(item, textOf(attribute)));
  const call = filter === undefined ? undefined : FILTERS.get(textOf(filter));
  if (call === undefined) throw new RenderError('map has neither an attribute nor a filter');
  return itemsOf(value).map((item) => call([item, ...args.slice(2)], new Map()));
}

function partOf(value: Value, path: string): Value {
  return path.split('.').reduce<Value>((at, name) => (isDictionary(at) ? member(at, name) : MISSING), value);
}

function digest(value: Value, kind: string, salt: string): string {
  if (!getHashes().includes(kind)) throw new RenderError('there is no such hash');
  return createHash(kind).update(textOf(value)).update(salt).digest('hex');
}

function searched(text: string): string {
  if (text.length > MAX_SEARCHED) throw new RenderError('a text is too long to be searched');
  return text;
}

function patternOf(pattern: Value, flags = ''): RegExp {
  try {
    return new RegExp(textOf(pattern).replaceAll('(?P<', '(?<'), flags);
  } catch {
    throw new RenderError('a regular expression is none');
  }
}
