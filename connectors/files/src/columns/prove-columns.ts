import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal } from '../sql-text.ts';
import { MICROSECOND_CHARS, momentSql } from './column-json.ts';
import { columnSchema } from './column-type.ts';
import { factsType, ISO, NONE, TEXT, type ValueFacts } from './value-facts.ts';
import { commonForm, NUMBERS, type TimeForm, type ValueForm } from './value-forms.ts';

/** The rows that say what a column may be, and how many values of them are held at most. */
const SAMPLE_ROWS = 1000;
const SAMPLE_VALUES = 200_000;
const MIN_SAMPLE_ROWS = 20;
/** The columns that one statement looks at. */
const COLUMNS_AT_ONCE = 250;
/** The longest texts without an exponent that every double prints as they are. */
const SURE_CHARS = 15;

/** What a form's proof asks of all rows: SQL aggregates, and what their results say. */
type Proof = { readonly asked: readonly string[]; readonly facts: (found: readonly unknown[]) => ValueFacts };

/**
 * What all rows of a table of texts say of each of its columns, by the expressions with which they are read later. The
 * first rows say what a column may be, and a pass over all of them proves it; an empty text is no value.
 */
export async function proveColumns(
  connection: DuckDBConnection,
  rows: string,
  names: readonly string[],
): Promise<Map<string, ValueFacts>> {
  const facts = new Map<string, ValueFacts>(names.map((name) => [name, NONE]));
  const sampleRows = Math.max(MIN_SAMPLE_ROWS, Math.min(SAMPLE_ROWS, Math.floor(SAMPLE_VALUES / names.length)));
  for (let from = 0; from < names.length; from += COLUMNS_AT_ONCE) {
    const some = names.slice(from, from + COLUMNS_AT_ONCE);
    for (const [name, found] of await proveSome({ connection, rows, sampleRows }, some)) facts.set(name, found);
  }
  return facts;
}

type Table = { readonly connection: DuckDBConnection; readonly rows: string; readonly sampleRows: number };

async function proveSome(table: Table, names: readonly string[]): Promise<Map<string, ValueFacts>> {
  const { connection, rows, sampleRows } = table;
  const list = names.map((name) => identifier(name)).join(', ');
  const sample = await connection.runAndReadAll(`SELECT ${list} FROM ${rows} LIMIT ${sampleRows}`);
  const valuesOf = (texts: readonly unknown[] | undefined) =>
    (texts ?? []).flatMap((text) => (text === null || text === '' ? [] : [String(text)]));
  const columns = sample.getColumns();
  const shown = new Map(names.map((name, index) => [name, valuesOf(columns[index])]));
  const late = names.filter((name) => shown.get(name)?.length === 0);
  if (late.length > 0) {
    const asked = late.map((name) => `max(${identifier(name)})`).join(', ');
    const [greatest = []] = (await connection.runAndReadAll(`SELECT ${asked} FROM ${rows}`)).getRows();
    for (const [index, name] of late.entries()) shown.set(name, valuesOf([greatest[index] ?? null]));
    // A column of quoted empty fields is one of empty texts.
    for (const [index, name] of late.entries()) if (greatest[index] === '') shown.set(name, ['']);
  }
  const facts = new Map<string, ValueFacts>();
  const open = new Map<string, ValueForm>();
  for (const [name, texts] of shown) {
    const form = commonForm(texts);
    if (form === undefined) facts.set(name, texts.length === 0 ? NONE : TEXT);
    else open.set(name, form);
  }
  for (const [name, found] of await proveForms(table, open)) facts.set(name, found);
  return facts;
}

/** Proves a form of each column; numbers that are not all whole are proved once more, as other numbers. */
async function proveForms(table: Table, forms: ReadonlyMap<string, ValueForm>): Promise<Map<string, ValueFacts>> {
  if (forms.size === 0) return new Map();
  const proofs = [...forms].map(([name, form]) => ({ name, form, proof: proofOf(form, identifier(name)) }));
  const asked = proofs.flatMap(({ proof }) => proof.asked).join(', ');
  const [found = []] = (await table.connection.runAndReadAll(`SELECT ${asked} FROM ${table.rows}`)).getRowsJson();
  const facts = new Map<string, ValueFacts>();
  const again = new Map<string, ValueForm>();
  let at = 0;
  for (const { name, form, proof } of proofs) {
    const proved = proof.facts(found.slice(at, at + proof.asked.length));
    at += proof.asked.length;
    if (proved.kind === 'text' && form.kind === 'whole') again.set(name, NUMBERS);
    else facts.set(name, proved);
  }
  for (const [name, proved] of await proveForms(table, again)) facts.set(name, proved);
  return facts;
}

function proofOf(form: ValueForm, field: string): Proof {
  switch (form.kind) {
    case 'whole':
      return wholeProof(field);
    case 'number':
      return numberProof(field, form.pattern);
    case 'boolean':
      return booleanProof(field);
    default:
      return timeProof(field, form);
  }
}

/** Whether a condition holds of all fields, blanks around them left out; most have none, and only others are trimmed. */
const all = (field: string, holds: (text: string) => string) =>
  `bool_and(CASE WHEN ${holds(field)} THEN true WHEN ${field} IS NULL OR ${field} = '' THEN NULL
    ELSE coalesce(${holds(`trim(${field})`)}, false) END)`;

const WORDS = [
  ['true', 'false'],
  ['True', 'False'],
  ['TRUE', 'FALSE'],
] as const;

function booleanProof(field: string): Proof {
  return {
    asked: WORDS.map(([yes, no]) => all(field, (text) => `${text} IN (${literal(yes)}, ${literal(no)})`)),
    facts: (found) => {
      const words = WORDS.find((_, index) => found[index] === true);
      return words === undefined ? TEXT : { kind: 'boolean', spelling: words[0] };
    },
  };
}

function timeProof(field: string, form: TimeForm): Proof {
  const read = (format?: string) => all(field, (text) => readsBack(text, form, format));
  if (!('formats' in form)) {
    const { kind } = form;
    return { asked: [read()], facts: ([held]) => (held === true ? { kind } : TEXT) };
  }
  const { kind, formats } = form;
  return {
    asked: formats.map((format) => read(format)),
    facts: (found) => {
      const held = formats.filter((_, index) => found[index] === true);
      return held.length === 0 ? TEXT : { kind, formats: held };
    },
  };
}

/** The first and the last moment that every reader of a table knows. */
const [FIRST, LAST] = ['0001-01-01 00:00:00', '9999-12-31 23:59:59.999999'];

/** Whether a text has the form, and is a moment of the years 1 to 9999 as it is read. */
function readsBack(text: string, { kind, pattern }: TimeForm, format?: string): string {
  const form = `regexp_full_match(${text}, ${literal(pattern)})`;
  if (kind === 'time') return `${form} AND try_cast(${text} AS TIME) IS NOT NULL`;
  const { type } = factsType(kind === 'timestamptz' ? { kind } : { kind, formats: [format ?? ISO] }) ?? { type: '' };
  const own = format === undefined || format === ISO ? {} : { format };
  const moment = momentSql(kind === 'date' ? text : cutText(text), columnSchema({ name: '', type, ...own }));
  const closely = `${form} AND ${moment} BETWEEN ${type} ${literal(FIRST)} AND ${type} ${literal(LAST)}`;
  const printed = 'format' in own || kind === 'timestamptz' ? undefined : printedSql(text, kind);
  return printed === undefined ? closely : `CASE WHEN ${printed} THEN true ELSE ${closely} END`;
}

/** Whether a text is the one that its value prints as, give or take the T: most are, and it is cheap to ask. */
function printedSql(text: string, kind: 'date' | 'timestamp'): string {
  if (kind === 'date') return `length(${text}) = 10 AND try_cast(${text} AS DATE)::VARCHAR = ${text}`;
  return `strpos(${text}, '-') = 5 AND try_cast(${text} AS TIMESTAMP)::VARCHAR = replace(${text}, 'T', ' ')`;
}

/** A moment to the microsecond: the platform cuts finer ones and marks them. */
function cutText(text: string): string {
  const cut = `regexp_replace(${text}, '([.][0-9]{6})[0-9]+', '\\1')`;
  return `CASE WHEN length(${text}) > ${MICROSECOND_CHARS} THEN ${cut} ELSE ${text} END`;
}

function wholeProof(field: string): Proof {
  const number = (text: string) => `try_cast(${text} AS BIGINT)`;
  return {
    asked: [
      all(field, (text) => `${number(text)}::VARCHAR = ${text}`),
      `min(${number(field)})::VARCHAR`,
      `max(${number(field)})::VARCHAR`,
    ],
    facts: ([isWhole, ...ends]) => {
      if (isWhole !== true) return TEXT;
      const sizes = ends.map((end) => String(end).replace('-', ''));
      return {
        kind: 'number',
        isWhole,
        hasPoint: false,
        hasExponent: false,
        isExact: sizes.every((size) => Number.isSafeInteger(Number(size))),
        whole: Math.max(...sizes.map(({ length }) => length)),
        scale: 0,
      };
    },
  };
}

function numberProof(field: string, pattern: string): Proof {
  const text = `CASE WHEN starts_with(${field}, ' ') OR ends_with(${field}, ' ') THEN trim(${field}) ELSE ${field} END`;
  const point = `strpos(${text}, '.')`;
  const isNegative = `(CASE WHEN starts_with(${text}, '-') THEN 1 ELSE 0 END)`;
  return {
    asked: [
      `bit_or(CASE WHEN ${likeness(field, pattern)} = 0 THEN 0 WHEN ${field} = '' THEN NULL
        ELSE ${likeness(`trim(${field})`, pattern)} END)`,
      `coalesce(max(${point}) > 0, false)`,
      `max(if(${point} = 0, length(${text}), ${point} - 1) - ${isNegative})`,
      `max(if(${point} = 0, 0, length(${text}) - ${point}))`,
    ],
    facts: ([likenesses, hasPoint, whole, scale]) => {
      const has = (bit: number) => (Number(likenesses) & bit) !== 0;
      if (has(NO_NUMBER)) return TEXT;
      return {
        kind: 'number',
        isWhole: false,
        hasPoint: hasPoint === true,
        hasExponent: has(EXPONENT),
        isExact: !has(ROUNDED),
        whole: Number(whole),
        scale: Number(scale),
      };
    },
  };
}

/** How a text differs from a plain number that its double prints as. */
const [EXPONENT, ROUNDED, NO_NUMBER] = [1, 2, 4];

/**
 * How a text differs, 0 for not at all. A double prints as the number that was written when both have the same digits but for
 * zeros at the ends: the sizes cannot differ then, as a double is nearer than that.
 */
function likeness(text: string, pattern: string): string {
  const printed = `try_cast(${text} AS DOUBLE)::VARCHAR`;
  const digits = (number: string) => `trim(regexp_replace(${number}, '[eE].*|[.-]', '', 'g'), '0')`;
  const isNumber = `regexp_full_match(${text}, ${literal(pattern)})`;
  const hasExponent = `(contains(${text}, 'e') OR contains(${text}, 'E'))`;
  const exponent = `if(${hasExponent}, ${EXPONENT}, 0)`;
  return `CASE WHEN ${text} IS NULL THEN NULL
    WHEN length(${text}) <= ${SURE_CHARS} AND NOT ${hasExponent} THEN if(${isNumber}, 0, ${NO_NUMBER})
    WHEN length(${text}) > ${SURE_CHARS} AND ${printed} = ${text} THEN ${exponent}
    WHEN NOT ${isNumber} THEN ${NO_NUMBER}
    ELSE ${exponent} + if(${digits(text)} = ${digits(printed)}, 0, ${ROUNDED}) END`;
}
