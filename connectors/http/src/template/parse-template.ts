import { type Piece, piecesOf, TemplateError } from './lex.ts';
import { cursorOver, type Expression, endHere, expect, nameHere, parseExpression, taken } from './parse-expression.ts';

/** A template as steps that write text. */
export type Step =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly expression: Expression }
  | { readonly kind: 'set'; readonly name: string; readonly to: Expression }
  | { readonly kind: 'if'; readonly branches: readonly { readonly when: Expression; readonly body: readonly Step[] }[] }
  | {
      readonly kind: 'for';
      readonly names: readonly string[];
      readonly over: Expression;
      readonly body: readonly Step[];
      readonly otherwise: readonly Step[];
    };

type Reading = { readonly source: string; readonly pieces: readonly Piece[]; at: number };
type End = { readonly word: string; readonly piece: Piece };

/** Reads a template: text, `{{ }}`, and of statements `if`, `for` and `set`. TemplateError for anything else. */
export function parseTemplate(source: string): Step[] {
  const reading = { source, pieces: piecesOf(source), at: 0 };
  const { steps, end } = parseSteps(reading, []);
  if (end !== undefined) throw new TemplateError(`${end.word} has no beginning`, end.piece.at);
  return steps;
}

function parseSteps(reading: Reading, ends: readonly string[]): { steps: Step[]; end: End | undefined } {
  const steps: Step[] = [];
  for (;;) {
    const piece = reading.pieces[reading.at];
    if (piece === undefined) {
      if (ends.length > 0) throw new TemplateError(`${ends.at(-1)} is missing`, reading.source.length);
      return { steps, end: undefined };
    }
    reading.at += 1;
    if (piece.kind === 'text') steps.push({ kind: 'text', text: piece.text });
    else if (piece.kind === 'print') steps.push({ kind: 'print', expression: expressionOf(reading, piece) });
    else {
      const word = /^\s*(\w*)/.exec(piece.text)?.[1] ?? '';
      if (ends.includes(word)) return { steps, end: { word, piece } };
      steps.push(parseStatement(reading, piece, word));
    }
  }
}

function expressionOf({ source }: Reading, { at, end }: Piece): Expression {
  const cursor = cursorOver(source, at, end);
  const expression = parseExpression(cursor);
  endHere(cursor);
  return expression;
}

function parseStatement(reading: Reading, piece: Piece, word: string): Step {
  if (word === 'if') return parseIf(reading, piece);
  if (word === 'for') return parseFor(reading, piece);
  if (word !== 'set') throw new TemplateError('a statement other than if, for and set', piece.at);
  const cursor = cursorOver(reading.source, piece.at, piece.end);
  expect(cursor, 'set');
  const name = nameHere(cursor);
  expect(cursor, '=');
  const to = parseExpression(cursor);
  endHere(cursor);
  return { kind: 'set', name, to };
}

function conditionOf({ source }: Reading, { at, end }: Piece, word: string): Expression {
  const cursor = cursorOver(source, at, end);
  expect(cursor, word);
  const expression = parseExpression(cursor);
  endHere(cursor);
  return expression;
}

function parseIf(reading: Reading, piece: Piece): Step {
  const branches: { when: Expression; body: Step[] }[] = [];
  let when = conditionOf(reading, piece, 'if');
  for (;;) {
    const { steps, end } = parseSteps(reading, ['elif', 'else', 'endif']);
    branches.push({ when, body: steps });
    if (end?.word === 'endif' || end === undefined) return { kind: 'if', branches };
    when = end.word === 'elif' ? conditionOf(reading, end.piece, 'elif') : { kind: 'value', value: true };
  }
}

function parseFor(reading: Reading, piece: Piece): Step {
  const cursor = cursorOver(reading.source, piece.at, piece.end);
  expect(cursor, 'for');
  const names = [nameHere(cursor)];
  while (taken(cursor, ',')) names.push(nameHere(cursor));
  expect(cursor, 'in');
  const over = parseExpression(cursor);
  endHere(cursor);
  const { steps, end } = parseSteps(reading, ['else', 'endfor']);
  const otherwise = end?.word === 'else' ? parseSteps(reading, ['endfor']).steps : [];
  return { kind: 'for', names, over, body: steps, otherwise };
}
