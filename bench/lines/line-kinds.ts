/** One column of the test data, in the words of each side that has to be told its type. */
export interface LineColumn {
  name: string;
  /** As a JSON schema property, which is how a connector's catalog says it. */
  schema: object;
  /** As a type of DuckDB, as the CLI is given it. */
  sql: string;
  /** The JSON text of the value in row `row`; `random` gives the next number below its bound, the same ones in each run. */
  value(row: number, random: (below: number) => number): string;
}

/** A kind of test data: one stream of rows of one shape. */
export interface LineKind {
  stream: string;
  columns: readonly LineColumn[];
}

const CITIES = ['Berlin', 'Lisboa', 'Zürich', 'Kraków', 'New York', 'São Paulo', 'Tokyo', 'Reykjavík'];
const FIRST = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Tim', 'Margaret', 'Ken'];
const LAST = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Perlman', 'Berners-Lee', 'Hamilton'];
const TAGS = ['new', 'vip', 'returning', 'partner', 'trial', 'dormant', 'newsletter', 'beta'];
const FIRST_DAY_MS = Date.UTC(2020, 0, 1);
const DAYS = 2_000;
const DAY_MS = 86_400_000;

const pick = (from: readonly string[], random: (below: number) => number): string => from[random(from.length)] ?? '';
const cents = (random: (below: number) => number, below: number): string => (random(below) / 100).toFixed(2);
const moment = (random: (below: number) => number): string =>
  `"${new Date(FIRST_DAY_MS + random(DAYS) * DAY_MS + random(DAY_MS)).toISOString()}"`;
const text = { type: ['null', 'string'] };
const integer = { type: ['null', 'integer'] };
const number = { type: ['null', 'number'] };
const yesNo = { type: ['null', 'boolean'] };
const instant = { type: ['null', 'string'], format: 'date-time', airbyte_type: 'timestamp_with_timezone' };

const NARROW: LineColumn[] = [
  { name: 'id', schema: integer, sql: 'BIGINT', value: (row) => String(row) },
  {
    name: 'name',
    schema: text,
    sql: 'VARCHAR',
    value: (_, random) => `"${pick(FIRST, random)} ${pick(LAST, random)}"`,
  },
  { name: 'email', schema: text, sql: 'VARCHAR', value: (row, random) => `"u${row}@mail${random(500)}.example.com"` },
  {
    name: 'age',
    schema: integer,
    sql: 'BIGINT',
    value: (_, random) => (random(50) === 0 ? 'null' : String(18 + random(70))),
  },
  { name: 'score', schema: number, sql: 'DOUBLE', value: (_, random) => (random(1_000_000) / 9973).toPrecision(12) },
  { name: 'active', schema: yesNo, sql: 'BOOLEAN', value: (_, random) => (random(3) === 0 ? 'false' : 'true') },
  { name: 'city', schema: text, sql: 'VARCHAR', value: (_, random) => `"${pick(CITIES, random)}"` },
  { name: 'created_at', schema: instant, sql: 'TIMESTAMPTZ', value: (_, random) => moment(random) },
  { name: 'balance', schema: number, sql: 'DOUBLE', value: (_, random) => cents(random, 10_000_000) },
  {
    name: 'meta',
    schema: { type: ['null', 'object'] },
    sql: 'JSON',
    value: (row, random) =>
      `{"tags":["${pick(TAGS, random)}","${pick(TAGS, random)}"],"visits":${random(1000)},"ref":"r-${row % 9973}"}`,
  },
];

const many = (prefix: string, count: number, column: Omit<LineColumn, 'name'>): LineColumn[] =>
  Array.from({ length: count }, (_, at) => ({ ...column, name: `${prefix}${String(at).padStart(2, '0')}` }));

const WIDE: LineColumn[] = [
  { name: 'id', schema: integer, sql: 'BIGINT', value: (row) => String(row) },
  ...many('i', 20, { schema: integer, sql: 'BIGINT', value: (_, random) => String(random(1_000_000)) }),
  ...many('f', 15, { schema: number, sql: 'DOUBLE', value: (_, random) => cents(random, 100_000_000) }),
  ...many('s', 18, { schema: text, sql: 'VARCHAR', value: (_, random) => `"${pick(LAST, random)} ${random(1000)}"` }),
  ...many('t', 4, { schema: instant, sql: 'TIMESTAMPTZ', value: (_, random) => moment(random) }),
  ...many('b', 2, { schema: yesNo, sql: 'BOOLEAN', value: (_, random) => (random(2) === 0 ? 'false' : 'true') }),
];

/** The kinds of test data by name: ten mixed columns, and sixty. */
export const LINE_KINDS = {
  narrow: { stream: 'people', columns: NARROW },
  wide: { stream: 'facts', columns: WIDE },
} as const satisfies Record<string, LineKind>;

export type LineKindName = keyof typeof LINE_KINDS;

/** The JSON schema of a kind, as a connector's catalog has it. */
export function jsonSchemaOf({ columns }: LineKind): object {
  return { type: 'object', properties: Object.fromEntries(columns.map(({ name, schema }) => [name, schema])) };
}
