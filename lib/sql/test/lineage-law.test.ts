import { type ColumnLineage, columnLineage } from '@weir/sql';
import t from 'tap';
import { parse, rows, session } from './kit.ts';
import { type Chance, createChance, randomQuery, TABLES } from './queries.ts';

const QUERIES = 200;
const SEED = 20_261_124;
const ROWS = 6;
const MAX_DRAWS = 20;

type Edge = { readonly table: string; readonly column: string };
const edgeText = ({ table, column }: Edge): string => `${table}.${column}`;

/** One schema with the data, and for each input column some with one value changed. */
async function createWorlds(): Promise<{ schema: string; edge: Edge }[]> {
  const connection = await session();
  const chance = createChance(SEED);
  const data = Object.entries(TABLES).map(([table, columns]) => ({
    table,
    columns,
    lines: Array.from({ length: ROWS }, () => columns.map(() => chance.below(5))),
  }));
  const create = async (schema: string, edge?: Edge & { line: number; value: number | null }) => {
    await connection.run(`create schema ${schema}`);
    for (const { table, columns, lines } of data) {
      const changed = lines.map((line, at) =>
        columns.map((name, position) =>
          edge?.table === table && edge.column === name && edge.line === at ? edge.value : (line[position] ?? null),
        ),
      );
      await connection.run(`create table ${schema}.${table} (${columns.map((name) => `${name} bigint`).join(', ')})`);
      await connection.run(`insert into ${schema}.${table} values ${changed.map((line) => `(${line.map(String)})`)}`);
    }
  };
  await create('base');
  const worlds: { schema: string; edge: Edge }[] = [];
  for (const { table, columns } of data) {
    for (const column of columns) {
      for (const value of [7, null]) {
        const schema = `w${worlds.length}`;
        await create(schema, { table, column, line: chance.below(ROWS), value });
        worlds.push({ schema, edge: { table, column } });
      }
    }
  }
  return worlds;
}

/** Each output column as a bag of values. */
async function bags(sql: string, schema: string): Promise<string[]> {
  await (await session()).run(`set search_path = '${schema}'`);
  const lines = await rows(sql);
  const width = lines[0]?.length ?? 0;
  return Array.from({ length: width }, (_, at) => JSON.stringify(lines.map((line) => String(line[at])).toSorted()));
}

/** DuckDB does not bind every text that the generator writes. */
async function acceptedQuery(chance: Chance): Promise<{ sql: string; before: string[] }> {
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const sql = randomQuery(chance);
    const before = await bags(sql, 'base').catch((error: Error) => {
      if (/Binder Error/.test(error.message)) return undefined;
      throw new Error(sql, { cause: error });
    });
    if (before !== undefined) return { sql, before };
  }
  throw new Error('the generator writes nothing that DuckDB binds');
}

const claims = ({ columns }: ColumnLineage, at: number): Set<string> =>
  new Set([...(columns[at]?.sources ?? []), ...(columns[at]?.influences ?? [])].map(edgeText));

t.test('an input value that changes an output column of a random query → an edge of its lineage', async (t) => {
  const worlds = await createWorlds();
  const chance = createChance(SEED);
  const seen = { edges: 0, resolved: 0 };
  for (let number = 0; number < QUERIES; number++) {
    const { sql, before } = await acceptedQuery(chance);
    const lineage = columnLineage(await parse(sql), TABLES);
    if (lineage.unresolved.length > 0) continue;
    seen.resolved++;
    for (const { schema, edge } of worlds.filter((_, at) => at % 2 === number % 2)) {
      const after = await bags(sql, schema);
      const width = Math.max(before.length, after.length);
      if (width > 0 && lineage.columns.length !== width)
        t.fail(`${lineage.columns.length} columns, not ${width}: ${sql}`);
      for (let at = 0; at < width; at++) {
        if (before[at] === after[at]) continue;
        seen.edges++;
        if (!claims(lineage, at).has(edgeText(edge))) t.fail(`column ${at} misses ${edgeText(edge)}: ${sql}`);
      }
    }
  }
  t.ok(seen.resolved >= QUERIES * 0.95, `${seen.resolved} of ${QUERIES} queries resolved`);
  t.ok(seen.edges > 500, `${seen.edges} changes seen`);
});
