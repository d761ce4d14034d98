/** Words that DuckDB does not take as a name without quotes. */
const RESERVED = new Set(
  `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default
deferrable desc describe distinct do else end except false fetch for foreign from group having in initially intersect into
lambda lateral leading limit not null offset on only or order pivot pivot_longer pivot_wider placing primary qualify
references returning select show some summarize symmetric table then to trailing true union unique unpivot using variadic
when where window with left right full inner outer cross natural join is like ilike between exists`.split(/\s+/),
);

/** Whether a name needs quotes because the language has the word for itself. */
export const isReservedWord = (name: string): boolean => RESERVED.has(name.toLowerCase());

/** A name as a statement writes it. */
export function quoted(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !isReservedWord(name);
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A dataset id as a statement writes it. */
export const quotedId = (datasetId: string): string => datasetId.split('.').map(quoted).join('.');

/** A text as a statement writes it. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A name made of words: lower case, with underscores, at most 60 characters. */
export function plainName(words: string): string {
  const made = words
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 60);
  return /^[a-z]/.test(made) ? made : `c_${made}`;
}
