import { randomBytes, randomInt } from 'node:crypto';

/** A value that stands in one place only because we put it there, so that wherever else it is found, it leaked. */
export interface Canary {
  /** The life it was planted in: a credential mode, or `control` for a leak that is made on purpose. */
  readonly mode: string;
  /** The field that holds it, or the place of a control. */
  readonly field: string;
  readonly text: string;
  /** Looked for as it is and in no other form, for a control that can take none. */
  readonly onlyRaw?: boolean;
}

/** Every canary begins so. */
export const CANARY_HEAD = 'CNRY-';
/** And ends so, to be known by its end too when its beginning was masked or cut off. */
export const CANARY_TAIL = 'YRNC';
const RANDOM_BYTES = 8;
const UNSAFE = /[^A-Za-z0-9_]+/g;

/** A new canary `CNRY-<mode>-<field>-<random>`; what a name may not hold becomes `_`. */
export function canary(mode: string, field: string): Canary {
  const random = `${randomBytes(RANDOM_BYTES).toString('hex').toUpperCase()}${CANARY_TAIL}`;
  const named = [mode, field].map((part) => part.replaceAll(UNSAFE, '_'));
  return { mode, field, text: [CANARY_HEAD.slice(0, -1), ...named, random].join('-') };
}

const NUMBER_HEAD = '73921';
const NUMBER_TAIL = '8467';
const NUMBER_DIGITS = 6;

/** A number as a canary: fifteen digits, which no reader of JSON changes, with a head and a tail like those of texts. */
export function numberCanary(): string {
  const random = String(randomInt(10 ** NUMBER_DIGITS)).padStart(NUMBER_DIGITS, '0');
  return `${NUMBER_HEAD}${random}${NUMBER_TAIL}`;
}
