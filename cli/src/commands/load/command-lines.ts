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
