const QUOTE = 0x22;
const SPACE = 0x20;

/** Where each field of a row of RFC 4180 ends, as `csvScanner` divides it. */
export function fieldEnds(row: Buffer, delimiter: string): number[] {
  const split = delimiter.charCodeAt(0);
  const ends: number[] = [];
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < row.length; at += 1) {
    const byte = row[at];
    if (byte === QUOTE) {
      // Only a quote at the beginning of a field, behind one space at most, opens it; within it a second one is text.
      const opens = at === start || (at === start + 1 && row[start] === SPACE);
      const isField = opens || row[start] === QUOTE || (row[start] === SPACE && row[start + 1] === QUOTE);
      if (isField) isQuoted = !isQuoted;
    } else if (byte === split && !isQuoted) {
      ends.push(at);
      start = at + 1;
    }
  }
  ends.push(row.length);
  return ends;
}

/** The names that a header line gives to columns: those that DuckDB gives, which makes each name one of its own. */
export function headerNames(line: Buffer, delimiter: string): string[] {
  const ends = fieldEnds(line, delimiter);
  const taken = new Map<string, number>();
  const digits = String(ends.length - 1).length;
  return ends.map((end, index) => {
    const field = line.toString('utf8', index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end).trim();
    const text = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"').trim() : field;
    let name = text === '' ? `column${String(index).padStart(digits, '0')}` : text;
    for (let key = name.toLowerCase(); taken.has(key); key = name.toLowerCase()) {
      const count = (taken.get(key) ?? 0) + 1;
      taken.set(key, count);
      name = `${name}_${count}`;
    }
    taken.set(name.toLowerCase(), 0);
    return name;
  });
}
