/** Where something begins in the text of a statement; both count from 1, columns in characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The place of a byte of the UTF-8 text, as DuckDB counts; one beyond the end is the end. */
export function placeOf(sql: string, offset: number): Place {
  const bytes = new TextEncoder().encode(sql).subarray(0, Math.max(0, offset));
  const lines = new TextDecoder().decode(bytes).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
