const SPACE = /^\s+/;
const LINE_COMMENT = /^--[^\n]*/;
/** Text with escapes, text, a quoted name, text in dollars, a number, a word, an operator; else one sign. */
const TOKEN = new RegExp(
  [
    String.raw`^(?:[eE]'(?:[^'\\]|\\[\s\S]|'')*'`,
    String.raw`[xXbB]?'(?:[^']|'')*'`,
    String.raw`"(?:[^"]|"")*"`,
    String.raw`\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[\s\S]*?\$\1\$`,
    String.raw`\d[\w.]*(?:(?<=[eE])[+-]\d+)?`,
    String.raw`[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*`,
    '(?:(?!--|/\\*)[-+*/<>=~!@#%^&|`?:])+',
    String.raw`[\s\S])`,
  ].join('|'),
);

/** The tokens of an SQL text, without the spaces and comments between them: texts of the same tokens mean the same. */
export function foldSql(sql: string): string[] {
  const tokens: string[] = [];
  let rest = sql;
  while (rest !== '') {
    const gap = SPACE.exec(rest)?.[0] ?? LINE_COMMENT.exec(rest)?.[0] ?? blockComment(rest);
    const part = gap ?? TOKEN.exec(rest)?.[0] ?? rest;
    if (gap === undefined) tokens.push(part);
    rest = rest.slice(part.length);
  }
  return tokens;
}

/** A comment with those inside it; one that does not end reaches to the end. */
function blockComment(sql: string): string | undefined {
  if (!sql.startsWith('/*')) return undefined;
  let depth = 0;
  for (let at = 0; at < sql.length; at += 1) {
    const two = sql.slice(at, at + 2);
    if (two === '/*') depth += 1;
    else if (two === '*/') depth -= 1;
    else continue;
    at += 1;
    if (depth === 0) return sql.slice(0, at + 1);
  }
  return sql;
}
