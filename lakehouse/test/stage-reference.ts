/** A number as its source text, apart from other values. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON with every number as its text; duplicate names and surrogates are looked for in the text by the caller. */
export function parseExactly(text: string): unknown {
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined ? new NumberText(context.source) : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

/**
 * Sign, digits and power of ten of a number's text: equal for equal numbers, of any size. What is too close to zero for
 * a double counts as zero, for so DuckDB reads it.
 */
export function exactNumber(text: string): string {
  const match = /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - digits.replace(/0+$/, '').length);
  const kept = digits.replace(/0+$/, '');
  return kept === '' || Number(text) === 0 ? '0' : `${sign}${kept}e${power}`;
}

/** A value in a form in which equal JSON is equal text, numbers by their exact value. */
export function canonicalJson(value: unknown): string {
  if (value instanceof NumberText) return exactNumber(value.text);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.sort().join()}}`;
}

/** What a cell holds and what is said of it. */
export type Cell = { readonly value: unknown; readonly change?: 'nulled' | 'rounded' };

const nulled: Cell = { value: null, change: 'nulled' };

const LONGS = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

function textOf(value: unknown): string {
  return value instanceof NumberText ? value.text : typeof value === 'string' ? value : String(value);
}

function longCell(value: unknown): Cell {
  const text = textOf(value);
  if (value instanceof NumberText && /^-0$/.test(text)) return { value: '0' };
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return nulled;
  const integer = BigInt(text);
  return integer >= LONGS.min && integer <= LONGS.max ? { value: String(integer) } : nulled;
}

/** A number of digits says the same with and without its plus. */
function unsigned(text: string): string {
  return text.replace(/^\+(?=[\d.ni])/i, '');
}

/** The digits of a number but for zeros at its ends. */
const digitsOf = (text: string): string => text.replaceAll(/[eE].*|[^0-9]/g, '').replaceAll(/^0+|0+$/g, '');

function doubleCell(value: unknown): Cell {
  const text = unsigned(textOf(value).trim());
  if (text === 'true' || text === 'false') return { value: text === 'true' ? 1 : 0 };
  if (/^-?(nan|inf|infinity)$/i.test(text)) return { value: text };
  if (!/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return nulled;
  const number = Number(text);
  if (!Number.isFinite(number)) return nulled;
  const inexact = /^-?\d+$/.test(text) ? BigInt(text) !== BigInt(number) : digitsOf(text) !== digitsOf(String(number));
  return { value: number, ...(inexact ? { change: 'rounded' } : {}) };
}

function decimalCell(value: unknown): Cell {
  const text = unsigned(textOf(value).trim());
  const match = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text);
  if (!match || !/\d/.test((match[2] ?? '') + (match[3] ?? ''))) return nulled;
  const exact = exactNumber(text);
  const [, digits = '0', power = '0'] = /^-?(\d+)e(-?\d+)$/.exec(exact) ?? [];
  const shift = Number(power) + 4;
  if (digits === '0') return { value: '0' };
  const unscaled = shift >= 0 ? (shift > 40 ? 10n ** 40n : BigInt(digits) * 10n ** BigInt(shift)) : undefined;
  if (unscaled !== undefined) return unscaled < 10n ** 18n ? { value: exact } : nulled;
  const cut = 10n ** BigInt(Math.min(-shift, 400));
  const rounded = (BigInt(digits) * 2n + cut) / (2n * cut);
  return rounded < 10n ** 18n ? { value: exactNumber(`${match[1]}${rounded}e-4`), change: 'rounded' } : nulled;
}

const MOMENTS: ReadonlyMap<string, Cell> = new Map(
  Object.entries({
    '2024-02-29': { value: '2024-02-29 00:00:00+00' },
    '20240-01-01': { value: '20240-01-01 00:00:00+00' },
    '2024-01-01T00:00:00+02:00': { value: '2023-12-31 22:00:00+00' },
    '2024-01-01T00:00:00': { value: '2024-01-01 00:00:00+00' },
    '2024-01-01T00:00:00.123456789Z': { value: '2024-01-01 00:00:00.123456+00', change: 'rounded' },
    '20240-01-01T00:00:00Z': { value: '20240-01-01 00:00:00+00' },
  }),
);
const DAYS: ReadonlyMap<string, Cell> = new Map(
  Object.entries({
    '2024-02-29': { value: '2024-02-29' },
    '20240-01-01': { value: '20240-01-01' },
  }),
);
const TRUTHS: ReadonlyMap<string, boolean> = new Map(
  Object.entries({ true: true, false: false, '1': true, '0': false }),
);

/** What the column of a name makes of a value. */
export function expectedCell(column: string, value: unknown): Cell | undefined {
  if (value === null || value === undefined) return { value: null };
  const nested = typeof value === 'object' && !(value instanceof NumberText);
  if (column === 's') return { value };
  if (nested) return nulled;
  switch (column) {
    case 'l':
      return longCell(value);
    case 'd':
      return doubleCell(value);
    case 'm':
      return decimalCell(value);
    case 't':
      return MOMENTS.get(textOf(value)) ?? nulled;
    case 'day':
      return DAYS.get(textOf(value)) ?? nulled;
    default: {
      const truth = TRUTHS.get(textOf(value));
      // DuckDB knows more words for truth than we list.
      return truth === undefined ? undefined : { value: truth };
    }
  }
}
