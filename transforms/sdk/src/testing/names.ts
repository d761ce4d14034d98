import { isFresh } from '../fresh.ts';
import type { Fixture, FixtureInput } from './fixture.ts';

/** Names that sources give their columns. */
const HOSTILE_NAMES: readonly string[] = [
  ...['"', 'a"b', "it's", ' ', 'two words', ' before', 'after ', 'a.b', 'a;b', '-- x', '/* x', 'a\nb', '{{ input }}'],
  ...['1st', 'Ärger', '名', '\u00a0', '\u200b', 'x'.repeat(63), 'bronze', 'input', 'rowid', '__from', '__FROM'],
  ...['valid_from', 'VALID_FROM'],
];
const RESERVED_NAMES = ['select', 'from', 'where', 'group', 'order', 'qualify', 'null', 'true', 'case', 'lateral'];
/** Members of a syntax tree that hold names of columns, tables and results. */
const NAMING: ReadonlySet<string> = new Set(['alias', 'column_names', 'table_name', 'key']);

const fold = (name: string) => name.toLowerCase();

/** Hostile names of columns: those above, and those that a statement uses itself. */
export const hostileNames = (ast: unknown): string[] => [
  ...new Set([...HOSTILE_NAMES, ...RESERVED_NAMES, ...namesIn(ast)]),
];

function* namesIn(node: unknown, member = ''): Generator<string> {
  if (typeof node === 'string' && NAMING.has(member) && node !== '') yield node;
  if (typeof node !== 'object' || node === null) return;
  for (const [key, one] of Object.entries(node)) yield* namesIn(one, Array.isArray(node) ? member : key);
}

const columnsOf = ({ inputs }: Fixture): string[] => [
  ...new Set(Object.values(inputs).flatMap(({ columns }) => Object.keys(columns))),
];

/** The fixture under other names of columns, so that each column has each name once; without results that nothing can write. */
export function* renamings(fixture: Fixture, schema: unknown, names: readonly string[]): Generator<Fixture> {
  const columns = columnsOf(fixture);
  const others = names.filter((name) => !columns.includes(name));
  const given = new Set<string>();
  inColumns(fixture.parameters, schema, (name) => {
    given.add(name);
    return name;
  });
  for (const first of others.keys()) {
    const pairs = columns.map((column, at) => [column, others[(first + at) % others.length] ?? column] as const);
    const fit = pairs.filter(([column, name], at) => {
      const earlier = [...columns, ...pairs.slice(0, at).map((pair) => pair[1])];
      // Two columns of a result may not have one name: the platform refuses that.
      const isResult = fixture.expect.columns.includes(column) && isIn(fixture.expect.columns, name);
      // `fresh` avoids names that parameters have, and no other column has such a name by chance.
      return !isResult && !isIn(earlier, name) && (given.has(column) || !isFresh(name));
    });
    yield renamed(fixture, schema, new Map(fit));
  }
}

const isIn = (names: readonly string[], name: string) => names.some((one) => fold(one) === fold(name));

function renamed(fixture: Fixture, schema: unknown, names: ReadonlyMap<string, string>): Fixture {
  const nameOf = (name: string) => names.get(name) ?? name;
  const { columns, rows } = fixture.expect;
  const own = columnsOf(fixture);
  // A computed text may say the name of a column.
  const cell = (value: unknown, at: number) =>
    typeof value === 'string' && !own.includes(columns[at] ?? '') ? value.replace(/\w+/g, nameOf) : value;
  return {
    ...fixture,
    parameters: inColumns(fixture.parameters, schema, nameOf) as Fixture['parameters'],
    inputs: mapped(fixture.inputs, ({ columns, rows }) => ({
      rows,
      columns: Object.fromEntries(Object.entries(columns).map(([name, type]) => [nameOf(name), type])),
    })),
    expect: { ...fixture.expect, columns: columns.map(nameOf), rows: rows.map((row) => row.map(cell)) },
  };
}

const mapped = (inputs: Fixture['inputs'], change: (input: FixtureInput, id: string) => FixtureInput) =>
  Object.fromEntries(Object.entries(inputs).map(([id, input]) => [id, change(input, id)]));

/** Parameters whose names of columns, by their schema, are changed. */
function inColumns(value: unknown, schema: unknown, nameOf: (name: string) => string): unknown {
  const { format, items, properties } = Object(schema) as Record<string, unknown>;
  if (typeof value === 'string') return format === 'column' ? nameOf(value) : value;
  if (Array.isArray(value)) return value.map((one) => inColumns(one, items, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      inColumns(one, (Object(properties) as Record<string, unknown>)[name], nameOf),
    ]),
  );
}

interface Widening {
  readonly harmless: Fixture['inputs'];
  readonly hostile: Fixture['inputs'];
  /** The hostile name of each harmless one. */
  readonly spare: ReadonlyMap<string, string>;
}

/** For each input, inputs in which it has more columns: with harmless names, and with hostile ones. */
export function* widenings(fixture: Fixture, names: readonly string[]): Generator<Widening> {
  const taken = [...columnsOf(fixture), ...fixture.expect.columns];
  const more = names.filter((name, at) => !isFresh(name) && !isIn([...taken, ...names.slice(0, at)], name));
  const spare = new Map(more.map((name, at) => [`spare_${at}`, name]));
  for (const wide of Object.keys(fixture.inputs)) {
    const withColumns = (added: readonly string[]) =>
      mapped(fixture.inputs, (input, id) => (id === wide ? widened(input, added) : input));
    yield { harmless: withColumns([...spare.keys()]), hostile: withColumns(more), spare };
  }
}

const widened = ({ columns, rows }: FixtureInput, added: readonly string[]): FixtureInput => ({
  columns: { ...columns, ...Object.fromEntries(added.map((name) => [name, 'varchar'])) },
  rows: rows.map((row) => [...row, ...added.map(() => 'x')]),
});
