import { TemplateError, type Token, tokensOf } from './lex.ts';
import { literalOf } from './literal.ts';
import type { Value } from './value.ts';

export type Arguments = { readonly list: readonly Expression[]; readonly named: ReadonlyMap<string, Expression> };

/** An expression of a template. There is no assignment in it, and a call names what it calls. */
export type Expression =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'dictionary'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression; readonly byDot: boolean }
  | { readonly kind: 'slice'; readonly of: Expression; readonly parts: readonly (Expression | undefined)[] }
  | { readonly kind: 'macro' | 'filter' | 'test'; readonly name: string; readonly args: Arguments; readonly at: number }
  | { readonly kind: 'method'; readonly of: Expression; readonly name: string; readonly args: Arguments }
  | { readonly kind: 'not' | 'minus'; readonly of: Expression }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'calculate'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'compare';
      readonly first: Expression;
      readonly rest: readonly { readonly operator: string; readonly with: Expression }[];
    }
  | {
      readonly kind: 'choice';
      readonly when: Expression;
      readonly chosen: Expression;
      readonly otherwise: Expression | undefined;
    };

const MAX_DEPTH = 64;
const CONSTANTS: Readonly<Record<string, Value>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const NO_ARGUMENTS: Arguments = { list: [], named: new Map() };

export type Cursor = { readonly tokens: readonly Token[]; at: number; depth: number };

/** A cursor over the tokens of a piece. */
export function cursorOver(source: string, at: number, end: number): Cursor {
  return { tokens: tokensOf(source, at, end), at: 0, depth: 0 };
}

export function peek(cursor: Cursor): Token {
  return cursor.tokens[cursor.at] ?? { kind: 'end', text: '', at: 0 };
}

/** Takes the next token if it is this sign or word. */
export function taken(cursor: Cursor, text: string): boolean {
  const { kind, text: found } = peek(cursor);
  if (found !== text || kind === 'text' || kind === 'end') return false;
  cursor.at += 1;
  return true;
}

export function expect(cursor: Cursor, text: string): void {
  if (!taken(cursor, text)) throw new TemplateError(`${text} is missing`, peek(cursor).at);
}

export function nameHere(cursor: Cursor): string {
  const { kind, text, at } = peek(cursor);
  if (kind !== 'name') throw new TemplateError('a name is missing', at);
  cursor.at += 1;
  return text;
}

export function endHere(cursor: Cursor): void {
  const { kind, at } = peek(cursor);
  if (kind !== 'end') throw new TemplateError('the expression does not end here', at);
}

/** Reads one expression, by the precedence of the operators as in Jinja. */
export function parseExpression(cursor: Cursor): Expression {
  cursor.depth += 1;
  if (cursor.depth > MAX_DEPTH) throw new TemplateError('an expression is nested too deeply', peek(cursor).at);
  let expression = parseOr(cursor);
  while (taken(cursor, 'if')) {
    const when = parseOr(cursor);
    const otherwise = taken(cursor, 'else') ? parseExpression(cursor) : undefined;
    expression = { kind: 'choice', when, chosen: expression, otherwise };
  }
  cursor.depth -= 1;
  return expression;
}

function parseOr(cursor: Cursor): Expression {
  let left = parseAnd(cursor);
  while (taken(cursor, 'or')) left = { kind: 'or', left, right: parseAnd(cursor) };
  return left;
}

function parseAnd(cursor: Cursor): Expression {
  let left = parseNot(cursor);
  while (taken(cursor, 'and')) left = { kind: 'and', left, right: parseNot(cursor) };
  return left;
}

function parseNot(cursor: Cursor): Expression {
  return taken(cursor, 'not') ? { kind: 'not', of: parseNot(cursor) } : parseCompare(cursor);
}

function parseCompare(cursor: Cursor): Expression {
  const first = parseSum(cursor);
  const rest: { operator: string; with: Expression }[] = [];
  for (;;) {
    const operator = comparison(cursor);
    if (operator === undefined) break;
    rest.push({ operator, with: parseSum(cursor) });
  }
  return rest.length === 0 ? first : { kind: 'compare', first, rest };
}

function comparison(cursor: Cursor): string | undefined {
  for (const sign of ['==', '!=', '<=', '>=', '<', '>', 'in']) if (taken(cursor, sign)) return sign;
  const next = cursor.tokens[cursor.at + 1];
  if (peek(cursor).kind !== 'name' || peek(cursor).text !== 'not' || next?.text !== 'in') return undefined;
  cursor.at += 2;
  return 'not in';
}

const binary = (signs: readonly string[], inner: (cursor: Cursor) => Expression) => (cursor: Cursor) => {
  let left = inner(cursor);
  for (;;) {
    const operator = signs.find((sign) => taken(cursor, sign));
    if (operator === undefined) return left;
    left = { kind: 'calculate', operator, left, right: inner(cursor) };
  }
};

function parsePower(cursor: Cursor): Expression {
  const left = parseUnary(cursor);
  return taken(cursor, '**') ? { kind: 'calculate', operator: '**', left, right: parsePower(cursor) } : left;
}

const parseProduct = binary(['*', '//', '/', '%'], parsePower);
const parseJoin = binary(['~'], parseProduct);
const parseSum: (cursor: Cursor) => Expression = binary(['+', '-'], parseJoin);

function parseUnary(cursor: Cursor): Expression {
  if (taken(cursor, '-')) return parseFilters(cursor, { kind: 'minus', of: parseUnary(cursor) });
  if (taken(cursor, '+')) return parseUnary(cursor);
  return parseFilters(cursor, parsePostfix(cursor, parsePrimary(cursor)));
}

function parsePrimary(cursor: Cursor): Expression {
  const token = peek(cursor);
  cursor.at += 1;
  if (token.kind === 'text') {
    let text = token.text;
    while (peek(cursor).kind === 'text') {
      text += peek(cursor).text;
      cursor.at += 1;
    }
    return { kind: 'value', value: text };
  }
  if (token.kind === 'number') return { kind: 'value', value: literalOf(token.text) ?? null };
  if (token.kind === 'name') return parseName(cursor, token);
  if (token.text === '(') return parseParentheses(cursor);
  if (token.text === '[') return { kind: 'list', items: parseItems(cursor, ']').items };
  if (token.text === '{') return parseDictionary(cursor);
  throw new TemplateError('an expression is missing', token.at);
}

function parseName(cursor: Cursor, { text, at }: Token): Expression {
  if (Object.hasOwn(CONSTANTS, text)) return { kind: 'value', value: CONSTANTS[text] as Value };
  if (['and', 'or', 'not', 'if', 'else', 'in', 'is'].includes(text))
    throw new TemplateError('an expression is missing', at);
  if (taken(cursor, '(')) return { kind: 'macro', name: text, args: parseArguments(cursor), at };
  return { kind: 'name', name: text, at };
}

function parseParentheses(cursor: Cursor): Expression {
  const { items, hadComma } = parseItems(cursor, ')');
  const [only] = items;
  return items.length === 1 && !hadComma && only !== undefined ? only : { kind: 'list', items };
}

function parseItems(cursor: Cursor, end: string): { items: Expression[]; hadComma: boolean } {
  const items: Expression[] = [];
  let hadComma = false;
  while (!taken(cursor, end)) {
    if (items.length > 0 && !hadComma) throw new TemplateError(`${end} is missing`, peek(cursor).at);
    items.push(parseExpression(cursor));
    hadComma = taken(cursor, ',');
  }
  return { items, hadComma };
}

function parseDictionary(cursor: Cursor): Expression {
  const entries: [Expression, Expression][] = [];
  while (!taken(cursor, '}')) {
    if (entries.length > 0) expect(cursor, ',');
    if (taken(cursor, '}')) break;
    const name = parseExpression(cursor);
    expect(cursor, ':');
    entries.push([name, parseExpression(cursor)]);
  }
  return { kind: 'dictionary', entries };
}

function parseArguments(cursor: Cursor): Arguments {
  const list: Expression[] = [];
  const named = new Map<string, Expression>();
  while (!taken(cursor, ')')) {
    if (list.length + named.size > 0) expect(cursor, ',');
    if (taken(cursor, ')')) break;
    const { kind, text } = peek(cursor);
    if (kind === 'name' && cursor.tokens[cursor.at + 1]?.text === '=') {
      cursor.at += 2;
      named.set(text, parseExpression(cursor));
    } else list.push(parseExpression(cursor));
  }
  return { list, named };
}

function parsePostfix(cursor: Cursor, start: Expression): Expression {
  let of = start;
  for (;;) {
    if (taken(cursor, '.')) {
      const { kind, text } = peek(cursor);
      if (kind === 'number') {
        cursor.at += 1;
        of = { kind: 'member', of, key: { kind: 'value', value: Number(text) }, byDot: false };
        continue;
      }
      const name = nameHere(cursor);
      of = taken(cursor, '(')
        ? { kind: 'method', of, name, args: parseArguments(cursor) }
        : { kind: 'member', of, key: { kind: 'value', value: name }, byDot: true };
    } else if (taken(cursor, '[')) of = parseSubscript(cursor, of);
    else return of;
  }
}

function parseSubscript(cursor: Cursor, of: Expression): Expression {
  const parts: (Expression | undefined)[] = [];
  let part: Expression | undefined;
  let isSlice = false;
  while (!taken(cursor, ']')) {
    if (taken(cursor, ':')) {
      isSlice = true;
      parts.push(part);
      part = undefined;
    } else if (part === undefined) part = parseExpression(cursor);
    else throw new TemplateError('] is missing', peek(cursor).at);
  }
  if (isSlice) return { kind: 'slice', of, parts: [...parts, part] };
  if (part === undefined) throw new TemplateError('a place is missing', peek(cursor).at);
  return { kind: 'member', of, key: part, byDot: false };
}

/** Filters and tests, which bind as closely as a postfix does. */
function parseFilters(cursor: Cursor, start: Expression): Expression {
  let of = start;
  for (;;) {
    const { at } = peek(cursor);
    if (taken(cursor, '|')) {
      const name = nameHere(cursor);
      const args = taken(cursor, '(') ? parseArguments(cursor) : NO_ARGUMENTS;
      of = parsePostfix(cursor, { kind: 'filter', name, args: withFirst(of, args), at });
    } else if (taken(cursor, 'is')) {
      const negated = taken(cursor, 'not');
      const name = nameHere(cursor);
      const args = taken(cursor, '(') ? parseArguments(cursor) : testArgument(cursor);
      const test: Expression = { kind: 'test', name, args: withFirst(of, args), at };
      of = negated ? { kind: 'not', of: test } : test;
    } else return of;
  }
}

/** The argument of a test without parentheses, as in `is divisibleby 3`. */
function testArgument(cursor: Cursor): Arguments {
  const { kind, text } = peek(cursor);
  const begins = kind === 'text' || kind === 'number' || text === '[';
  return begins ? { list: [parsePostfix(cursor, parsePrimary(cursor))], named: new Map() } : NO_ARGUMENTS;
}

const withFirst = (first: Expression, { list, named }: Arguments): Arguments => ({ list: [first, ...list], named });
