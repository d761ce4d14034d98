import { ISO } from './value-facts.ts';

/** How values of one kind are written; no text has two of these forms. Patterns mean the same in JavaScript and in DuckDB. */
export type ValueForm = { readonly kind: 'boolean' | 'whole' | 'number'; readonly pattern: string } | TimeForm;
export type TimeForm =
  | { readonly kind: 'timestamptz' | 'time'; readonly pattern: string }
  /** `formats`: the ways in which texts of this form may be meant. */
  | { readonly kind: 'date' | 'timestamp'; readonly pattern: string; readonly formats: readonly string[] };

const HOURS = '([01][0-9]|2[0-3]):[0-5][0-9]';
const SECONDS = ':[0-5][0-9]([.][0-9]{1,9})?';
const ISO_DAY = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const ISO_TIME = `${ISO_DAY}[ T]${HOURS}(${SECONDS})?`;
const NUMBER = '-?(0|[1-9][0-9]*)?[.][0-9]+([eE][-+]?[0-9]+)?|-?(0|[1-9][0-9]*)([eE][-+][0-9]+)?';

/** A day in figures with a year of four, apart by one sign, and times of day behind it. Years first mean the month next. */
const DAYS = ['/', '-', '.'].flatMap((sign) => {
  const two = '[0-9]{1,2}';
  const yearFirst = { day: `[0-9]{4}[${sign}]${two}[${sign}]${two}`, orders: [`%Y${sign}%m${sign}%d`] };
  const orders = [`%m${sign}%d${sign}%Y`, `%d${sign}%m${sign}%Y`];
  return [...(sign === '-' ? [] : [yearFirst]), { day: `${two}[${sign}]${two}[${sign}][0-9]{4}`, orders }];
});

/** The forms that have a type of their own. A number of more than one form counts as `number`. */
export const FORMS: readonly ValueForm[] = [
  { kind: 'boolean', pattern: 'true|false|True|False|TRUE|FALSE' },
  { kind: 'whole', pattern: '0|-?[1-9][0-9]{0,18}' },
  { kind: 'number', pattern: NUMBER },
  { kind: 'date', pattern: ISO_DAY, formats: [ISO] },
  { kind: 'timestamp', pattern: ISO_TIME, formats: [ISO] },
  { kind: 'timestamptz', pattern: `${ISO_DAY}[ T]${HOURS}${SECONDS}(Z|[+-][0-9]{2}(:?[0-9]{2})?)` },
  { kind: 'time', pattern: `${HOURS}${SECONDS}` },
  ...DAYS.flatMap(({ day, orders }): ValueForm[] => [
    { kind: 'date', pattern: day, formats: orders },
    { kind: 'timestamp', pattern: `${day} ${HOURS}`, formats: orders.map((order) => `${order} %H:%M`) },
    { kind: 'timestamp', pattern: `${day} ${HOURS}:[0-5][0-9]`, formats: orders.map((order) => `${order} %H:%M:%S`) },
  ]),
];

const TESTS = FORMS.map((form) => ({ form, test: new RegExp(`^(?:${form.pattern})$`) }));

/** The form of a text, blanks around it left out. */
export function formOf(text: string): ValueForm | undefined {
  const inner = text.replace(/^ +| +$/g, '');
  return TESTS.find(({ test }) => test.test(inner))?.form;
}

/** The form that all texts have; whole and other numbers are numbers together. */
export function commonForm(texts: readonly string[]): ValueForm | undefined {
  let common: ValueForm | undefined;
  for (const text of texts) {
    const form = formOf(text);
    if (form === undefined) return undefined;
    const isNumber = form.kind === 'whole' || form.kind === 'number';
    if (common === undefined || (isNumber && common.kind === 'whole')) common = form;
    else if (form !== common && !(isNumber && common.kind === 'number')) return undefined;
  }
  return common;
}

/** The form of numbers that are not all whole ones. */
export const NUMBERS: ValueForm = { kind: 'number', pattern: NUMBER };
