/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A path as DuckDB takes it: the characters that it would read as a glob stand for themselves. */
export function pathLiteral(path: string): string {
  return literal(path.replaceAll(/[[*?]/g, (character) => `[${character}]`));
}
