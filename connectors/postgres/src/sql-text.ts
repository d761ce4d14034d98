/** A text as an SQL literal. A backslash stands for itself, as `standard_conforming_strings` is set in every session. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
