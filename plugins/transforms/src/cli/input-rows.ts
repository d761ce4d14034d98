import { randomUUID } from 'node:crypto';
import {
  identifier,
  literal,
  type PinnedRows,
  type Selector,
  sqlType,
  type TableSchema,
} from '@weir/plugin-datasets/stage';
import type { FixtureBody } from './fixture.ts';

type Input = NonNullable<FixtureBody['inputs']>[string];
type Fields = TableSchema['fields'];

/** Rows of a fixture as the rows of a table; written below `folder` by a selector without a gate. */
export async function inputRows(selector: Selector, input: Input, folder: string): Promise<PinnedRows> {
  const { types = {}, rows } = Array.isArray(input) ? { rows: input } : input;
  const names = [...new Set([...Object.keys(types), ...rows.flatMap((row) => Object.keys(row))])];
  const fields = names.map((name, at) => {
    const type = types[name] ?? typeOf(rows.map((row) => row[name]));
    return { id: at + 1, name, required: false, type };
  }) as Fields;
  const schema: TableSchema = { type: 'struct', 'schema-id': 0, fields };
  const sql = selectOf(fields, rows);
  const written = await selector.run({ sql, inputs: new Map(), schema, folder: `${folder}/${randomUUID()}` });
  const files = written.files.map(({ location }, file) => ({
    ...{ location, file, sequenceNumber: 1n, partitionKey: '', deletes: [] },
  }));
  return { files, schema, table: { schemas: [schema], properties: {} } } as PinnedRows;
}

/** The type that holds every value. */
function typeOf(values: readonly unknown[]): string {
  const given = values.filter((value) => value !== null && value !== undefined);
  if (given.length > 0 && given.every((value) => typeof value === 'boolean')) return 'boolean';
  if (given.length > 0 && given.every((value) => typeof value === 'number')) {
    return given.every(Number.isSafeInteger) ? 'long' : 'double';
  }
  return 'string';
}

function selectOf(fields: Fields, rows: readonly Readonly<Record<string, unknown>>[]): string {
  const casts = fields.map(({ name, type }) => `CAST(${identifier(name)} AS ${sqlType(type)}) AS ${identifier(name)}`);
  const names = fields.map(({ name }) => identifier(name)).join(', ');
  const none = fields.map(() => 'NULL').join(', ');
  const values = rows.map((row) => `(${fields.map(({ name }) => literalOf(row[name])).join(', ')})`);
  const table = rows.length === 0 ? `(VALUES (${none}))` : `(VALUES ${values.join(', ')})`;
  return `SELECT ${casts.join(', ')} FROM ${table} AS given(${names})${rows.length === 0 ? ' WHERE false' : ''}`;
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return literal(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
