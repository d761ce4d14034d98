import type { PatternCheck } from './documents.ts';
import { UnfitValue } from './sql-text.ts';
import { type SqlTemplate, sqlTemplate } from './template.ts';

/** A check of a transform, as its definition has it. */
export type MadeCheck = { name: string; severity?: 'fail' | 'warn' | undefined } & (
  | { kind: 'not_null' | 'unique'; columns: readonly string[] }
  | { kind: 'sql'; sql: string }
);

/** A check of a pattern whose templates are read. */
export interface CheckTemplate {
  readonly document: PatternCheck;
  readonly name: SqlTemplate;
  readonly sql: SqlTemplate | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** What definitions allow. */
const [MAX_CHECKS, MAX_COLUMNS, MAX_SQL_CHARS, MAX_NAME_CHARS] = [50, 20, 20_000, 63];
const ITEM = 'item';

/** Parameters that a check takes values from, by the member that names them. */
export function namedParameters(document: PatternCheck): [member: string, parameter: string][] {
  const { severity } = document;
  const { each, columns } = { each: undefined, columns: undefined, ...document };
  return Object.entries({ severity, each, columns }).flatMap(([member, value]): [string, string][] =>
    typeof value === 'string' && value.startsWith('/') ? [[member, value.slice(1)]] : [],
  );
}

/** Reads the templates of a check. Throws `TemplateInvalid`. */
export function checkTemplate(document: PatternCheck, declared: readonly string[]): CheckTemplate {
  const known = 'each' in document ? [...declared, ITEM] : declared;
  const sql = document.kind === 'sql' ? sqlTemplate(document.sql, known) : undefined;
  return { document, name: sqlTemplate(document.name, known), sql };
}

/** The checks that a pattern makes of parameters; one whose statement is empty is left out. Throws `UnfitValue`. */
export function makeChecks(checks: readonly CheckTemplate[], values: Values): MadeCheck[] {
  const made = checks.flatMap((one) => itemsOf(one, values).flatMap((around) => checkOf(one, around)));
  if (made.length > MAX_CHECKS) throw new UnfitValue(`expected at most ${MAX_CHECKS} checks`);
  const taken = new Set<string>();
  return made.map((one) => ({ ...one, name: distinct(one.name, taken) }));
}

/** The values that each check of a template is made of. */
function itemsOf({ document }: CheckTemplate, values: Values): Values[] {
  if (!('each' in document) || document.each === undefined) return [values];
  const items = values[document.each.slice(1)] ?? [];
  if (!Array.isArray(items)) throw new UnfitValue('expected a list');
  return items.map((item) => ({ ...values, [ITEM]: item }));
}

function checkOf({ document, name, sql }: CheckTemplate, values: Values): MadeCheck | [] {
  const taken = (value: unknown) =>
    typeof value === 'string' && value.startsWith('/') ? values[value.slice(1)] : value;
  const severity = severityOf(taken(document.severity));
  const common = { name: name.render(values), ...(severity && { severity }) };
  if (document.kind !== 'sql') return { ...common, kind: document.kind, columns: columnsOf(taken(document.columns)) };
  const text = sql?.render(values) ?? '';
  if (text === '') return [];
  if (text.length > MAX_SQL_CHARS) throw new UnfitValue(`expected a check of at most ${MAX_SQL_CHARS} characters`);
  return { ...common, kind: 'sql', sql: text };
}

function severityOf(value: unknown): MadeCheck['severity'] {
  if (value === undefined || value === 'fail' || value === 'warn') return value;
  throw new UnfitValue('expected fail or warn');
}

function columnsOf(value: unknown): string[] {
  const names = Array.isArray(value) ? value : [];
  const isFit = names.every(
    (one) => typeof one === 'string' && one !== '' && one.isWellFormed() && !one.includes('\0'),
  );
  if (isFit && names.length > 0 && names.length <= MAX_COLUMNS && new Set(names).size === names.length) return names;
  throw new UnfitValue(`expected 1 to ${MAX_COLUMNS} names of columns`);
}

/** The word, or the first of `word_2`, `word_3` and so on that no check before it has. */
function distinct(wanted: string, taken: Set<string>): string {
  for (let at = 1; ; at += 1) {
    const ending = at === 1 ? '' : `_${at}`;
    const name = `${wanted.slice(0, MAX_NAME_CHARS - ending.length)}${ending}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
