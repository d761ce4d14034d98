const [QUOTE, COMMA, NEWLINE] = [0x22, 0x2c, 0x0a];

/** A value as Postgres printed it; null for NULL. */
export type Value = string | null;

/**
 * Reads the rows of a COPY in CSV form: commas, doubled quotes, one newline behind each row. NULL is an empty field without
 * quotes; an empty text has them.
 */
export function* csvRows(bytes: Buffer): Generator<Value[]> {
  let at = 0;
  while (at < bytes.length) {
    const row: Value[] = [];
    let isOpen = true;
    while (isOpen) {
      const [value, end] = bytes[at] === QUOTE ? quoted(bytes, at) : plain(bytes, at);
      row.push(value);
      isOpen = bytes[end] === COMMA;
      at = end + 1;
    }
    yield row;
  }
}

/** The row of a block that begins at a place, which must be its last one. */
export function csvRow(bytes: Buffer, at: number): Value[] {
  return csvRows(bytes.subarray(at)).next().value ?? [];
}

function plain(bytes: Buffer, from: number): [Value, number] {
  let end = from;
  while (end < bytes.length && bytes[end] !== COMMA && bytes[end] !== NEWLINE) end += 1;
  return [end === from ? null : bytes.toString('utf8', from, end), end];
}

function quoted(bytes: Buffer, from: number): [Value, number] {
  let end = from + 1;
  let hasQuotes = false;
  for (;;) {
    end = bytes.indexOf(QUOTE, end);
    if (end < 0) throw new RangeError('a quoted field is not closed');
    if (bytes[end + 1] !== QUOTE) break;
    hasQuotes = true;
    end += 2;
  }
  const text = bytes.toString('utf8', from + 1, end);
  return [hasQuotes ? text.replaceAll('""', '"') : text, end + 1];
}
