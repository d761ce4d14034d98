/** A number that a double would change, as it was written: what `JSON.rawJSON` gives. */
export type Exact = { readonly rawJSON: string };

const json = JSON as typeof JSON & { rawJSON(text: string): Exact; isRawJSON(value: unknown): boolean };

export function isExact(value: unknown): value is Exact {
  return json.isRawJSON(value);
}
export const exact = (text: string): Exact => json.rawJSON(text) as Exact;
export type Numeric = number | Exact;
export const isNumeric = (value: unknown): value is Numeric => typeof value === 'number' || isExact(value);

const WHOLE = /^-?\d+$/;
/** The digits of a whole number that arithmetic may make; more are a mistake or an attack. */
const MAX_DIGITS = 1000;
const MAX_EXPONENT = 256;

/** A whole number exactly; undefined for one with a fraction or an exponent, as Python's `int` and `float` differ. */
export function wholeOf(value: Numeric): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return WHOLE.test(value.rawJSON) ? BigInt(value.rawJSON) : undefined;
}

export const doubleOf = (value: Numeric): number => (typeof value === 'number' ? value : Number(value.rawJSON));

/** A whole number as a value. */
export function whole(value: bigint): Numeric {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : exact(String(value));
}

/** A double as a value that stays a fraction: 2 becomes 2.0. */
export function fraction(value: number): Numeric {
  if (!Number.isFinite(value)) throw new RangeError('a number has no finite value');
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? exact(`${value}.0`) : value;
}

/** -1, 0 or 1, without loss between whole numbers. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  const [x, y] = [wholeOf(a), wholeOf(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
  const [p, q] = [doubleOf(a), doubleOf(b)];
  return p < q ? -1 : p > q ? 1 : 0;
}

/** Arithmetic as in Python: whole numbers stay whole but for `/`. RangeError for a division by zero or an excess. */
export function calculate(operator: string, a: Numeric, b: Numeric): Numeric {
  const [x, y] = [wholeOf(a), wholeOf(b)];
  if (x === undefined || y === undefined || operator === '/') return inDoubles(operator, doubleOf(a), doubleOf(b));
  if ((operator === '//' || operator === '%') && y === 0n) throw new RangeError('division by zero');
  switch (operator) {
    case '+':
      return whole(x + y);
    case '-':
      return whole(x - y);
    case '*':
      return whole(bounded(x * y));
    case '//':
      return whole((x - modulo(x, y)) / y);
    case '%':
      return whole(modulo(x, y));
    default:
      if (y < 0n) return inDoubles(operator, Number(x), Number(y));
      if (y > MAX_EXPONENT) throw new RangeError('an exponent is too large');
      return whole(bounded(x ** y));
  }
}

const modulo = (x: bigint, y: bigint) => ((x % y) + y) % y;

function bounded(value: bigint): bigint {
  if (String(value).length > MAX_DIGITS) throw new RangeError('a number is too large');
  return value;
}

function inDoubles(operator: string, a: number, b: number): Numeric {
  if ((operator === '/' || operator === '//' || operator === '%') && b === 0) throw new RangeError('division by zero');
  switch (operator) {
    case '+':
      return fraction(a + b);
    case '-':
      return fraction(a - b);
    case '*':
      return fraction(a * b);
    case '/':
      return fraction(a / b);
    case '//':
      return fraction(Math.floor(a / b));
    case '%':
      return fraction(a - b * Math.floor(a / b));
    default:
      return fraction(a ** b);
  }
}
