import pg from 'pg';

export const TABLE = 'people';
const DATABASE = 'weir_bench_source';

/** Ten mixed columns, as the other suites have them, made by the server itself from the number of the row. */
const ROWS_SQL = `
  SELECT i::bigint AS id, (ARRAY['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara'])[1 + i % 5] || ' ' || (ARRAY['Hopper', 'Turing', 'Knuth'])[1 + i % 3] AS name,
    'u' || i || '@mail' || i % 500 || '.example.com' AS email, CASE WHEN i % 50 = 0 THEN NULL ELSE 18 + i % 70 END AS age,
    (hashint8(i) & 1048575) / 9973.0::float8 AS score, i % 3 <> 0 AS active,
    (ARRAY['Berlin', 'Lisboa', 'Zürich', 'Kraków', 'Tokyo'])[1 + i % 5] AS city,
    timestamptz '2020-01-01 00:00:00.123456+00' + (hashint8(i) & 134217727) * interval '1 second' AS created_at,
    ((hashint8(i) & 16777215) / 100.0)::numeric(12, 2) AS balance,
    jsonb_build_object('visits', i % 1000, 'ref', 'r-' || i % 9973) AS meta
  FROM generate_series(1, $1::bigint) i`;

/** Makes the table anew with so many rows in a database of its own on a server; gives the database's URL. */
export async function makePeople(server: string, rows: number): Promise<string> {
  await carryOut(server, [
    `DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`,
    `CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`,
  ]);
  const url = new URL(server);
  url.pathname = DATABASE;
  await carryOut(url.href, [
    `CREATE TABLE ${TABLE} AS ${ROWS_SQL.replace('$1', String(rows))}`,
    `ALTER TABLE ${TABLE} ADD PRIMARY KEY (id)`,
    `VACUUM ANALYZE ${TABLE}`,
  ]);
  return url.href;
}

/** Carries statements out, one after the other, on a connection that is theirs. */
async function carryOut(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  // The statement that loses its connection says so.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
