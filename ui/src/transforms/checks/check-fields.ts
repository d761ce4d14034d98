import type { CheckBody } from '@weir/plugin-transforms/contract';

export type CheckKind = CheckBody['kind'];

/** What a person types of a check. */
export interface CheckDraft {
  name: string;
  kind: CheckKind;
  severity: 'fail' | 'warn';
  columns: string[];
  values: string[];
  to: string;
  toColumn: string;
  min: string;
  max: string;
  hours: string;
  sql: string;
}

export const EMPTY_CHECK: CheckDraft = {
  name: '',
  kind: 'not_null',
  severity: 'fail',
  columns: [],
  values: [],
  to: '',
  toColumn: '',
  min: '',
  max: '',
  hours: '24',
  sql: '',
};

const HOUR_S = 3_600;

/** A check as it is sent; undefined while something is missing. */
export function checkOf(draft: CheckDraft): CheckBody | undefined {
  const { kind, columns, values, to, toColumn, sql } = draft;
  const [column] = columns;
  const common = { name: draft.name, severity: draft.severity };
  if (draft.name === '') return undefined;
  if (kind === 'sql') return sql.trim() === '' ? undefined : { ...common, kind, sql };
  if (kind === 'row_count') {
    const [min, max] = [numberOf(draft.min), numberOf(draft.max)];
    if (min === undefined && max === undefined) return undefined;
    return { ...common, kind, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  }
  if (column === undefined) return undefined;
  if (kind === 'not_null' || kind === 'unique') return { ...common, kind, columns };
  if (kind === 'accepted_values') return values.length === 0 ? undefined : { ...common, kind, column, values };
  if (kind === 'relationship')
    return to === '' ? undefined : { ...common, kind, column, to, ...(toColumn === '' ? {} : { to_column: toColumn }) };
  const hours = numberOf(draft.hours);
  return hours === undefined ? undefined : { ...common, kind, column, max_age_seconds: Math.round(hours * HOUR_S) };
}

const numberOf = (text: string): number | undefined =>
  text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);

/** What a check asks of which columns, in one line. */
export function checkDetail(check: CheckBody): string {
  if (check.kind === 'not_null' || check.kind === 'unique') return check.columns.join(', ');
  if (check.kind === 'accepted_values') return `${check.column}: ${check.values.join(', ')}`;
  if (check.kind === 'relationship') return `${check.column} in ${check.to}`;
  if (check.kind === 'row_count') return `${check.min ?? 0} to ${check.max ?? 'any number of'} rows`;
  if (check.kind === 'freshness') return `${check.column}, at most ${check.max_age_seconds / HOUR_S} h old`;
  return check.sql;
}
