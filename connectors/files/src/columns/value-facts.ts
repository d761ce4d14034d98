/** What all values of a column have in common, as far as it decides the column's type. */
export type ValueFacts =
  | { readonly kind: 'none' | 'text' | 'timestamptz' | 'time' | 'list' | 'object' }
  /** `spelling`: the one letter case of all values. */
  | { readonly kind: 'boolean'; readonly spelling: string }
  | NumberFacts
  /** `formats`: the ways to read all values; `iso`, or one of `strptime`. */
  | { readonly kind: 'date' | 'timestamp'; readonly formats: readonly string[] };

/** Digits are counted before and behind the decimal point. */
export type NumberFacts = {
  readonly kind: 'number';
  /** Whether all are written as 64-bit integers print. */
  readonly isWhole: boolean;
  /** Whether some number is written as one that may have a fraction. */
  readonly hasPoint: boolean;
  readonly hasExponent: boolean;
  /** Whether each, as a double that is printed, is the number that was written. */
  readonly isExact: boolean;
  readonly whole: number;
  readonly scale: number;
};

export const NONE: ValueFacts = { kind: 'none' };
export const TEXT: ValueFacts = { kind: 'text' };
export const ISO = 'iso';
/** The most digits of a decimal, and those of one that takes no more room than the shortest. */
const MAX_DIGITS = 38;
const ROOMY_DIGITS = 18;

/** The facts of two sets of values together: text where they have no reading in common. */
export function mergeFacts(a: ValueFacts, b: ValueFacts): ValueFacts {
  if (a.kind === 'none') return b;
  if (b.kind === 'none') return a;
  if (a.kind === 'number' && b.kind === 'number') return mergeNumbers(a, b);
  if (a.kind !== b.kind) return TEXT;
  if (a.kind === 'boolean' && b.kind === 'boolean') return a.spelling === b.spelling ? a : TEXT;
  if ('formats' in a && 'formats' in b) {
    const formats = a.formats.filter((format) => b.formats.includes(format));
    return formats.length === 0 ? TEXT : { kind: a.kind, formats };
  }
  return a;
}

function mergeNumbers(a: NumberFacts, b: NumberFacts): NumberFacts {
  return {
    kind: 'number',
    isWhole: a.isWhole && b.isWhole,
    hasPoint: a.hasPoint || b.hasPoint,
    hasExponent: a.hasExponent || b.hasExponent,
    isExact: a.isExact && b.isExact,
    whole: Math.max(a.whole, b.whole),
    scale: Math.max(a.scale, b.scale),
  };
}

/**
 * The type that gives every value back equal, in DuckDB's words, and the format of dates that are not in ISO form. Text
 * where no type does, or where more than one reading fits; undefined where there is no value.
 */
export function factsType(facts: ValueFacts): { readonly type: string; readonly format?: string } | undefined {
  switch (facts.kind) {
    case 'none':
      return undefined;
    case 'boolean':
      return { type: 'BOOLEAN' };
    case 'number':
      return { type: numberType(facts) };
    case 'date':
    case 'timestamp': {
      const [format, ...others] = facts.formats;
      if (format === undefined || others.length > 0) return { type: 'VARCHAR' };
      const type = facts.kind.toUpperCase();
      return format === ISO ? { type } : { type, format };
    }
    case 'timestamptz':
      return { type: 'TIMESTAMP WITH TIME ZONE' };
    case 'time':
      return { type: 'TIME' };
    case 'list':
      return { type: 'JSON[]' };
    case 'object':
      return { type: 'STRUCT()' };
    default:
      return { type: 'VARCHAR' };
  }
}

function numberType({ isWhole, hasPoint, hasExponent, isExact, whole, scale }: NumberFacts): string {
  if (isWhole) return 'BIGINT';
  // Whole numbers beyond 64 bits are names of things more often than amounts, and so are exponents alone.
  if (!hasPoint) return 'VARCHAR';
  if (isExact) return 'DOUBLE';
  if (hasExponent || whole + scale > MAX_DIGITS) return 'VARCHAR';
  return `DECIMAL(${Math.max(ROOMY_DIGITS, whole + scale)},${scale})`;
}
