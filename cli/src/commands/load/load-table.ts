const MAX_CELL = 24;

/** Rows as lines of at most `width` characters: long values are cut, columns that have no room are counted. */
export function narrowTable(columns: readonly string[], rows: readonly unknown[][], width = 80): string[] {
  const texts = [columns, ...rows.map((row) => row.map(textOf))].map((row) => row.map((text) => cut(text)));
  const widths = columns.map((_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length)));
  let shown = 0;
  for (let used = 0; shown < columns.length; shown += 1) {
    used += (widths[shown] ?? 0) + 2;
    if (used > width && shown > 0) break;
  }
  const lines = texts.map((row) =>
    row
      .slice(0, shown)
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return shown === columns.length ? lines : [...lines, `(+${columns.length - shown} columns)`];
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? 'NULL' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** A text of at most `width` characters. */
export const cut = (text: string, width = MAX_CELL): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

/** A command as lines of at most `width` characters where its words allow it. */
export function commandLines(words: readonly string[], width = 80): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 3 <= width) lines[lines.length - 1] = `${last} ${word}`;
    else {
      if (last !== undefined) lines[lines.length - 1] = `${last} \\`;
      lines.push(last === undefined ? word : `  ${word}`);
    }
  }
  return lines;
}

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
