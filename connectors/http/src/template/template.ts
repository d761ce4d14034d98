import { render, type Scope } from './evaluate.ts';
import { FILTERS, TESTS } from './filters.ts';
import { TemplateError } from './lex.ts';
import { literalOf } from './literal.ts';
import { MACROS } from './macros.ts';
import { doubleOf, isNumeric } from './number.ts';
import type { Expression } from './parse-expression.ts';
import { parseTemplate, type Step } from './parse-template.ts';
import { UndefinedValue } from './render-error.ts';
import { isDictionary, isTrue, textOf, type Value } from './value.ts';

/** A text of a manifest that may hold expressions. */
export type Template = {
  readonly source: string;
  /** Whether there is no expression in it. */
  readonly isPlain: boolean;
  /** The value: the rendered text read as a literal where it is one; empty where something is read that is not there. */
  readonly value: (scope: Scope) => Value;
  /** The value as text. */
  readonly text: (scope: Scope) => string;
  /** The rendered text itself, never read as a literal. */
  readonly raw: (scope: Scope) => string;
};

const ALIASES: Readonly<Record<string, string>> = { stream_interval: 'stream_slice', stream_partition: 'stream_slice' };
const MAX_SOURCE = 64 * 1024;

/**
 * Reads a template whose expressions name nothing but what `names` lists. TemplateError when it is none, or names, calls or
 * filters by what is not there. No code is made of it: it is walked, and values are read by their own members alone.
 */
export function compileTemplate(source: string, names: readonly string[]): Template {
  if (source.length > MAX_SOURCE) throw new TemplateError('a template is too long', MAX_SOURCE);
  const isPlain = !/\{[{%#]/.test(source);
  const steps: readonly Step[] = isPlain ? [{ kind: 'text', text: source }] : parseTemplate(source);
  checkSteps(
    steps,
    new Set([...names, ...Object.keys(ALIASES).filter((alias) => names.includes(ALIASES[alias] ?? ''))]),
  );
  const literal = isPlain ? readLiteral(source) : undefined;
  const raw = (scope: Scope) => (isPlain ? source : render(steps, withAliases(scope)));
  const value = (scope: Scope): Value => {
    if (isPlain) return literal as Value;
    return readRendered(orEmpty(() => raw(scope)));
  };
  return { source, isPlain, value, text: (scope) => textOf(value(scope)), raw: (scope) => orEmpty(() => raw(scope)) };
}

function readLiteral(text: string): Value {
  const literal = literalOf(text.replace(/^[ \t]+/, ''));
  return literal === undefined ? text : literal;
}

/** A template that gives nothing is the empty text. */
function readRendered(text: string): Value {
  return text === '' ? '' : readLiteral(text);
}

function orEmpty(rendered: () => string): string {
  try {
    return rendered();
  } catch (error) {
    if (error instanceof UndefinedValue) return '';
    throw error;
  }
}

function withAliases(scope: Scope): Scope {
  const slice = scope.stream_slice;
  return slice === undefined ? scope : { ...scope, stream_interval: slice, stream_partition: slice };
}

const FALSE_TEXTS = new Set(['False', 'false', '{}', '[]', '()', '', '0', '0.0']);

/** Whether a condition of a manifest holds: everything does that is not empty, zero or false. */
export function conditionHolds(value: Value): boolean {
  if (typeof value === 'string') return !FALSE_TEXTS.has(value);
  if (isNumeric(value)) return doubleOf(value) !== 0;
  if (Array.isArray(value) || isDictionary(value)) return isTrue(value);
  return value !== null && value !== false;
}

function checkSteps(steps: readonly Step[], names: ReadonlySet<string>): void {
  const known = new Set(names);
  for (const step of steps) {
    if (step.kind === 'print') checkExpression(step.expression, known);
    if (step.kind === 'set') {
      checkExpression(step.to, known);
      known.add(step.name);
    }
    if (step.kind === 'if')
      for (const { when, body } of step.branches) {
        checkExpression(when, known);
        checkSteps(body, known);
      }
    if (step.kind === 'for') {
      checkExpression(step.over, known);
      checkSteps(step.body, new Set([...known, ...step.names]));
      checkSteps(step.otherwise, known);
    }
  }
}

const TABLES = { macro: MACROS, filter: FILTERS, test: TESTS };

function checkExpression(expression: Expression, names: ReadonlySet<string>): void {
  if (expression.kind === 'name' && !names.has(expression.name))
    throw new TemplateError(
      `there is no ${expression.name} here; there are ${[...names].sort().join(', ')}`,
      expression.at,
    );
  if (expression.kind === 'macro' || expression.kind === 'filter' || expression.kind === 'test') {
    if (!TABLES[expression.kind].has(expression.name))
      throw new TemplateError(`there is no ${expression.kind} ${expression.name}`, expression.at);
  }
  for (const part of partsOf(expression)) checkExpression(part, names);
}

function partsOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'value':
    case 'name':
      return [];
    case 'list':
      return [...expression.items];
    case 'dictionary':
      return expression.entries.flat();
    case 'member':
      return [expression.of, expression.key];
    case 'slice':
      return [expression.of, ...expression.parts.filter((part) => part !== undefined)];
    case 'not':
    case 'minus':
      return [expression.of];
    case 'compare':
      return [expression.first, ...expression.rest.map(({ with: other }) => other)];
    case 'choice':
      return [
        expression.when,
        expression.chosen,
        ...(expression.otherwise === undefined ? [] : [expression.otherwise]),
      ];
    case 'and':
    case 'or':
    case 'calculate':
      return [expression.left, expression.right];
    default: {
      const own = expression.kind === 'method' ? [expression.of] : [];
      return [...own, ...expression.args.list, ...expression.args.named.values()];
    }
  }
}
