import fc from 'fast-check';

const pad2 = (value: number) => String(value).padStart(2, '0');
const small = fc.integer({ min: 1, max: 12 });
const day = fc.integer({ min: 1, max: 28 });
const year = fc.integer({ min: 1, max: 9999 }).map((value) => String(value).padStart(4, '0'));
const whole = fc
  .oneof(fc.integer({ min: -1000, max: 1000 }), fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }))
  .map(String);
const figures = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const clock = fc.tuple(fc.nat(23), fc.nat(59), fc.nat(59)).map((parts) => parts.map(pad2).join(':'));
const isoDay = fc.tuple(year, small, day).map(([y, m, d]) => `${y}-${pad2(m)}-${pad2(d)}`);
const fraction = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: figures(9).map((f) => `.${f}`) },
);
const moment = fc.tuple(isoDay, fc.constantFrom(' ', 'T'), clock, fraction).map((parts) => parts.join(''));
const zone = fc.constantFrom('Z', '+02:00', '-05', '+0530');
const sign = fc.constantFrom('/', '-', '.');
const number = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map(String),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      whole.map((text) => text.replace('-', '')),
      figures(9),
    )
    .map(([s, w, f]) => `${s}${w}.${f}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

/** Texts as people write the values of one column. */
export const WRITTEN: Readonly<Record<string, fc.Arbitrary<string>>> = {
  whole,
  few: fc.integer({ min: -9, max: 99 }).map(String),
  zeros: figures(4),
  padded: fc
    .tuple(fc.constantFrom('', ' ', '   '), fc.oneof(whole, number, isoDay), fc.constantFrom('', ' '))
    .map((parts) => parts.join('')),
  signed: fc.tuple(fc.constantFrom('+', '-'), figures(3)).map((parts) => parts.join('')),
  hex: fc.nat(255).map((value) => `0x${value.toString(16)}`),
  thousands: fc.nat(9_999_999).map((value) => value.toLocaleString('en-US')),
  number,
  money: fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 17n }), fc.nat(99)).map(([w, c]) => `${w}.${pad2(c)}`),
  long: fc.tuple(figures(30), figures(30)).map(([w, f]) => `${w}.${f}`),
  codes: fc.tuple(figures(2), fc.constantFrom('E', 'e'), figures(2)).map((parts) => parts.join('')),
  exponents: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toExponential()),
  truths: fc.constantFrom('true', 'false'),
  Truths: fc.constantFrom('True', 'False', 'TRUE'),
  words: fc.constantFrom('Yes', 'No', 'T', 'F', 'y', 'n', '0', '1', 'on', 'NaN', 'inf', 'null', 'NA', '-'),
  isoDay,
  usual: fc.tuple(small, small, year, sign).map(([a, b, y, s]) => `${pad2(a)}${s}${pad2(b)}${s}${y}`),
  american: fc.tuple(small, day, year).map(([m, d, y]) => `${m}/${d}/${y}`),
  german: fc.tuple(day, small, year).map(([d, m, y]) => `${pad2(d)}.${pad2(m)}.${y}`),
  yearFirst: fc.tuple(year, small, day).map(([y, m, d]) => `${y}/${pad2(m)}/${pad2(d)}`),
  moment,
  zoned: fc.tuple(moment, zone).map((parts) => parts.join('')),
  mixed: fc.tuple(moment, fc.constantFrom('', 'Z')).map((parts) => parts.join('')),
  stamped: fc.tuple(day, small, year, clock).map(([d, m, y, time]) => `${d}/${m}/${y} ${time}`),
  clock,
  short: clock.map((text) => text.slice(0, 5)),
  odd: fc.constantFrom(
    '0000-01-01',
    '2024-02-30',
    '31/02/2021',
    '24:00:00',
    '-0',
    '.5',
    '5.',
    '1_0',
    'epoch',
    'infinity',
  ),
  text: fc.oneof(
    fc.constantFrom('', ' ', 'x', 'é😀', '"', 'a,b', "O'Brien"),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  ),
};

/** Numbers as a JSON document writes them. */
export const NUMERALS: readonly fc.Arbitrary<string>[] = [
  whole,
  number.map((text) => text.replace(/^(-?)0+(?=[0-9])/, '$1')),
  WRITTEN.money,
  WRITTEN.exponents,
  fc.constantFrom('1E5', '-0', '1e400', '0.10', '1.0', '9007199254740993', '0.1234567890123456789'),
].filter((one) => one !== undefined);

/** Values of one column, most of one kind; NULL now and then. */
export function columnOf(kinds: readonly fc.Arbitrary<string>[], rows: number): fc.Arbitrary<(string | null)[]> {
  const of = (one: fc.Arbitrary<string>) =>
    fc.array(fc.oneof({ weight: 8, arbitrary: one }, { weight: 1, arbitrary: fc.constant(null) }), {
      minLength: rows,
      maxLength: rows,
    });
  const pure = fc.nat(kinds.length - 1).chain((at) => of(kinds[at] as fc.Arbitrary<string>));
  const pair = fc
    .tuple(fc.nat(kinds.length - 1), fc.nat(kinds.length - 1))
    .chain(([a, b]) => of(fc.oneof(kinds[a] as fc.Arbitrary<string>, kinds[b] as fc.Arbitrary<string>)));
  return fc.oneof({ weight: 3, arbitrary: pure }, { weight: 1, arbitrary: pair });
}
