/** A piece of an expression and where it begins. */
export type Token = {
  readonly kind: 'name' | 'number' | 'text' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
};

/** A template syntax error, with its offset in characters. */
export class TemplateError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'TemplateError';
    this.at = at;
  }
}

const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SIGN = /\*\*|\/\/|==|!=|<=|>=|[-+*/%~<>=()[\]{}.,:|]/y;
const TEXT = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y;
const SPACE = /\s+/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\n': '' };

/** The tokens of an expression that begins at `at` of `source` and ends before `end`. */
export function tokensOf(source: string, at: number, end: number): Token[] {
  const tokens: Token[] = [];
  let place = at;
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = place;
    const found = pattern.exec(source)?.[0];
    return found === undefined || place + found.length > end ? undefined : found;
  };
  while (place < end) {
    const space = read(SPACE);
    if (space !== undefined) {
      place += space.length;
      continue;
    }
    const kinds = [
      ['name', NAME],
      ['number', NUMBER],
      ['text', TEXT],
      ['sign', SIGN],
    ] as const;
    const hit = kinds.map(([kind, pattern]) => ({ kind, text: read(pattern) })).find(({ text }) => text !== undefined);
    if (hit?.text === undefined) throw new TemplateError('a sign that no expression has', place);
    tokens.push({ kind: hit.kind, text: hit.kind === 'text' ? unescaped(hit.text) : hit.text, at: place });
    place += hit.text.length;
  }
  tokens.push({ kind: 'end', text: '', at: end });
  return tokens;
}

function unescaped(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S])/g, (whole, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (code === '\\' || code === "'" || code === '"') return code;
    return ESCAPES[code] ?? whole;
  });
}

/** A part of a template: text that stays, an expression to print, or a statement. */
export type Piece = {
  readonly kind: 'text' | 'print' | 'statement';
  readonly text: string;
  readonly at: number;
  readonly end: number;
};

const MARKS = { '{{': '}}', '{%': '%}', '{#': '#}' } as const;

/** Cuts a template where its marks are. A `-` beside a mark takes away the space on that side; comments are left out. */
export function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  let place = 0;
  let strip = false;
  const keep = (text: string) => {
    const kept = strip ? text.trimStart() : text;
    if (kept !== '') pieces.push({ kind: 'text', text: kept, at: place, end: place + text.length });
  };
  for (;;) {
    const open = source.slice(place).search(/\{[{%#]/);
    if (open === -1) {
      keep(source.slice(place).replace(/\n$/, ''));
      return pieces;
    }
    const at = place + open;
    const mark = source.slice(at, at + 2) as keyof typeof MARKS;
    const stripsBefore = source[at + 2] === '-';
    const text = source.slice(place, at);
    keep(stripsBefore ? text.trimEnd() : text);
    const from = at + (stripsBefore ? 3 : 2);
    const close = closeOf(source, from, MARKS[mark], mark === '{#');
    strip = source[close - 1] === '-';
    const end = strip ? close - 1 : close;
    if (mark !== '{#')
      pieces.push({ kind: mark === '{{' ? 'print' : 'statement', text: source.slice(from, end), at: from, end });
    place = close + 2;
  }
}

/** Where the closing mark is, outside of texts in quotes and of braces of dictionaries. */
function closeOf(source: string, from: number, mark: string, isComment: boolean): number {
  let depth = 0;
  for (let place = from; place < source.length; place += 1) {
    if (depth === 0 && source.startsWith(mark, place)) return place;
    if (isComment) continue;
    const letter = source[place];
    if (letter === '{') depth += 1;
    if (letter === '}' && depth > 0) depth -= 1;
    if (letter !== "'" && letter !== '"') continue;
    TEXT.lastIndex = place;
    const text = TEXT.exec(source)?.[0];
    if (text !== undefined) place += text.length - 1;
  }
  throw new TemplateError(`a mark that is not closed by ${mark}`, from);
}
