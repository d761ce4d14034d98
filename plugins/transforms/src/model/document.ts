import { type Static, Type } from '@sinclair/typebox';
import { pointerBelow } from '@weir/json-schemas';
import { Closed } from '@weir/kernel/contract';
import type { Json } from '@weir/plugin-apply/contract';
import { ScheduleDocument } from '@weir/plugin-schedules/contract';
import { createTransform, type NewTransform, type TransformView } from '../contract.ts';
import { foreignDatasets, idWithScope, isForeign, ownDatasets, withScope } from './scope-tokens.ts';

const { name: _, ...members } = (createTransform.body as NonNullable<typeof createTransform.body>).properties;

/** The spec of a document: a new transform without its name, and its schedule. */
export const TransformSpec = Closed({ ...members, schedule: Type.Optional(ScheduleDocument) });
export type TransformSpecBody = Static<typeof TransformSpec>;

/** Members of a definition, which hydrating puts in force. */
export const DEFINITION = [
  ...(['sql', 'pattern_id', 'parameters', 'output', 'materialization'] as const),
  ...(['key', 'partition_by', 'incremental', 'checks'] as const),
];

/** What a transform is by a document, its draft where it has one; what is as by default is left out. Pure. */
export function specOf(view: TransformView): Json {
  const { sql, output, materialization, key, partition_by, incremental, checks, origin } = view.draft ?? view;
  const made = new Set(origin?.checks ?? []);
  const own = checks.filter(({ name }) => !made.has(name));
  const form =
    origin?.kind === 'transform_pattern'
      ? { pattern_id: origin.pattern_id, parameters: origin.parameters }
      : { sql, materialization, key, partition_by, incremental };
  const { description, tags } = view;
  return withoutDefaults({ ...form, output, checks: own, description, tags });
}

/** A spec with its defaults, to be compared. Pure. */
export function compared(spec: Json): Json {
  const { schedule: _schedule, dialect: _dialect, ...given } = spec as TransformSpecBody;
  const common = { description: null, tags: [], checks: [], ...given, output: given.output.toLowerCase() };
  if (given.pattern_id !== undefined) return { parameters: {}, ...common };
  return { materialization: 'full', key: [], partition_by: [], incremental: null, ...common };
}

const isDefault = ([name, value]: [string, unknown]): boolean =>
  value === null || (Array.isArray(value) && value.length === 0) || (name === 'materialization' && value === 'full');

const withoutDefaults = (spec: Json): Json =>
  Object.fromEntries(Object.entries(spec).filter((entry) => !isDefault(entry)));

/** The spec with another scope in its dataset ids. Members of another type stay as they are. Pure. */
export function scopedSpec(spec: Json, from: string, to: string): Json {
  const id = (value: unknown) => (typeof value === 'string' ? idWithScope(value, from, to) : value);
  const sql = (value: unknown) => (typeof value === 'string' ? withScope(value, from, to) : value);
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    if (!isObject(value)) return id(value);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, within(member)]));
  };
  const check = (value: unknown) => (isObject(value) ? changed(value, { to: id, sql }) : value);
  const checks = (value: unknown) => (Array.isArray(value) ? value.map(check) : value);
  return changed(spec, { sql, output: id, incremental: id, parameters: within, checks });
}

/** Datasets of the tenant that a definition and its checks read. Pure. */
export function neededDatasets({ sql, checks = [] }: Pick<NewTransform, 'sql' | 'checks'>, scope: string): string[] {
  const read = checks.flatMap((check) => {
    if (check.kind === 'relationship') return [check.to.toLowerCase()];
    return check.kind === 'sql' ? ownDatasets(check.sql, scope) : [];
  });
  return [...ownDatasets(sql, scope), ...read];
}

/** Where a spec, which makes this statement, names datasets of another tenant, as pointers. Pure. */
export function foreignPlaces(spec: TransformSpecBody, statement: string, scope: string): string[] {
  const { sql, incremental, checks = [] } = spec;
  const named = foreignDatasets(statement, scope);
  return [
    ...(named.length > 0 ? [sql === undefined ? parameterOf(spec, named) : '/sql'] : []),
    ...(incremental && isForeign(incremental, scope) ? ['/incremental'] : []),
    ...checks.flatMap((check, at) => {
      const isSql = check.kind === 'sql' && foreignDatasets(check.sql, scope).length > 0;
      const isTo = check.kind === 'relationship' && isForeign(check.to, scope);
      return isSql ? [`/checks/${at}/sql`] : isTo ? [`/checks/${at}/to`] : [];
    }),
  ];
}

/** The parameter that is one of these ids, or all of them where none is by itself. */
function parameterOf({ parameters = {} }: TransformSpecBody, ids: readonly string[]): string {
  const found = Object.entries(parameters).find(([, value]) => typeof value === 'string' && ids.includes(value));
  return found === undefined ? '/parameters' : pointerBelow('/parameters', found[0]);
}

function changed(object: Json, changes: Readonly<Record<string, (value: unknown) => unknown>>): Json {
  const of = Object.entries(object).map(([name, value]) => [name, (changes[name] ?? ((same) => same))(value)] as const);
  return Object.fromEntries(of);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
