/** SQL that was made by the functions of this file; nothing else may be printed by a template. */
export class SqlText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that cannot become SQL. Says what was expected, never the value. */
export class UnfitValue extends Error {
  override readonly name = 'UnfitValue';
}

const MAX_IDENT_CHARS = 255;
const DATASET = /^(?:bronze|silver|gold|raw|registry)(?:\.[A-Za-z0-9_]{1,200}){2}$/;
const TYPE =
  /^(?:boolean|integer|bigint|real|double|varchar|date|time|timestamp|timestamptz|uuid|blob|decimal\(([1-9]|[12][0-9]|3[0-8]),(0|[1-9]|[12][0-9]|3[0-8])\))$/;
/** Postgres and DuckDB keep no NUL, and no half of a surrogate pair is UTF-8. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** A name in double quotes. */
export function ident(value: unknown): SqlText {
  if (typeof value !== 'string' || value === '' || value.length > MAX_IDENT_CHARS || !isStorable(value)) {
    throw new UnfitValue(`expected a name of 1 to ${MAX_IDENT_CHARS} characters`);
  }
  return new SqlText(`"${value.replaceAll('"', '""')}"`);
}

/** A text in single quotes, a finite number, true, false or null. */
export function literal(value: unknown): SqlText {
  if (value === null || typeof value === 'boolean') return new SqlText(String(value));
  if (typeof value === 'number' && Number.isFinite(value)) return new SqlText(value < 0 ? `(${value})` : `${value}`);
  if (typeof value === 'string' && isStorable(value)) return new SqlText(`'${value.replaceAll("'", "''")}'`);
  throw new UnfitValue('expected a text, a finite number, true, false or null');
}

/** A dataset id, each of its three segments as a name. */
export function dataset(value: unknown): SqlText {
  if (typeof value !== 'string' || !DATASET.test(value)) {
    throw new UnfitValue('expected a dataset id, <layer>.<scope>.<table>');
  }
  return joined(value.split('.').map(ident), '.');
}

/** A scalar type of DuckDB; decimals as decimal(precision,scale). */
export function sqlType(value: unknown): SqlText {
  const [, precision, scale] = (typeof value === 'string' && TYPE.exec(value)) || [];
  const isFit = typeof value === 'string' && TYPE.test(value) && Number(scale ?? 0) <= Number(precision ?? 0);
  if (!isFit) throw new UnfitValue('expected a scalar type, such as bigint or decimal(18,2)');
  return new SqlText(value);
}

/** A word of SQL that the template itself lists. */
export function word(value: unknown, ...words: readonly unknown[]): SqlText {
  if (typeof value !== 'string' || !words.includes(value)) throw new UnfitValue(`expected one of ${words.join(', ')}`);
  return new SqlText(value);
}

/** A text as a word of small letters, digits and `_`, such as for the name of a check. */
export function slug(value: unknown): SqlText {
  const text =
    typeof value === 'string'
      ? value
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '_')
          .replace(/^_+|_+$/g, '')
      : '';
  return new SqlText(/^[a-z]/.test(text) ? text : `x${text}`);
}

/** Names separated by commas; `member` takes that member of each item, `of` goes before each with a full stop. */
export function idents(value: unknown, member?: unknown, of?: unknown): SqlText {
  const before = of === undefined ? '' : `${ident(of).text}.`;
  return joined(
    items(value, member).map((one) => new SqlText(`${before}${ident(one).text}`)),
    ', ',
  );
}

/** Literals separated by commas. */
export function literals(value: unknown): SqlText {
  return joined(items(value).map(literal), ', ');
}

function items(value: unknown, member?: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new UnfitValue('expected a list of at least one item');
  if (typeof member !== 'string') return value;
  return value.map((one) =>
    Object.hasOwn(Object(one), member) ? (one as Record<string, unknown>)[member] : undefined,
  );
}

const joined = (parts: readonly SqlText[], by: string) => new SqlText(parts.map(({ text }) => text).join(by));
