/** The statement of rows that lack a value in one of these columns, which are quoted. */
export const rowsWithout = (columns: readonly string[], rows: string): string =>
  `SELECT * FROM ${rows} WHERE ${columns.map((column) => `${column} IS NULL`).join(' OR ')}`;

/** The statement of keys that several rows have, and how many. A key that lacks a value equals no other. Columns are quoted. */
export function repeatedKeys(columns: readonly string[], rows: string): string {
  const keys = columns.join(', ');
  const present = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
  return `SELECT ${keys}, count(*) AS row_count FROM ${rows} WHERE ${present} GROUP BY ${keys} HAVING count(*) > 1`;
}
