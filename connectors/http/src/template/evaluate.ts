import { instant, isTime, KIND, moved, SECONDS_PER_DAY, type Span, span, type TimeValue } from '../time/instant.ts';
import { FILTERS, TESTS } from './filters.ts';
import { MACROS } from './macros.ts';
import { attributeOf, callMethod } from './methods.ts';
import { calculate, exact, isNumeric, wholeOf } from './number.ts';
import type { Arguments, Expression } from './parse-expression.ts';
import type { Step } from './parse-template.ts';
import { RenderError, UndefinedValue } from './render-error.ts';
import {
  areEqual,
  compareValues,
  type Dictionary,
  isDictionary,
  isTrue,
  MISSING,
  member,
  textOf,
  type Value,
} from './value.ts';

/** What bounds one rendering: steps of evaluation, and characters of text that it makes. */
const MAX_STEPS = 100_000;
const MAX_TEXT = 4 * 1024 * 1024;

/** The values that a template may name; only own members count. */
export type Scope = Dictionary;
type Run = { readonly scope: Scope; readonly local: Map<string, Value>; steps: number };

/** The text that a template gives. UndefinedValue when it reads on from a value that is not there, else RenderError. */
export function render(steps: readonly Step[], scope: Scope): string {
  try {
    return written({ scope, local: new Map(), steps: 0 }, steps);
  } catch (error) {
    if (error instanceof RangeError) throw new RenderError(error.message);
    throw error;
  }
}

function written(run: Run, steps: readonly Step[]): string {
  let text = '';
  for (const step of steps) {
    text += writtenStep(run, step);
    if (text.length > MAX_TEXT) throw new RenderError('a template makes too long a text');
  }
  return text;
}

function writtenStep(run: Run, step: Step): string {
  if (step.kind === 'text') return step.text;
  if (step.kind === 'print') return textOf(evaluate(run, step.expression));
  if (step.kind === 'set') {
    run.local.set(step.name, evaluate(run, step.to));
    return '';
  }
  if (step.kind === 'if') {
    const branch = step.branches.find(({ when }) => isTrue(evaluate(run, when)));
    return branch === undefined ? '' : written(run, branch.body);
  }
  const items = itemsOf(evaluate(run, step.over));
  if (items.length === 0) return written(run, step.otherwise);
  const inner = { ...run, local: new Map(run.local) };
  const text = items.map((item) => {
    const parts: Value[] = step.names.length === 1 ? [item] : itemsOf(item);
    step.names.forEach((name, index) => {
      inner.local.set(name, index < parts.length ? (parts[index] as Value) : MISSING);
    });
    const round = written(inner, step.body);
    run.steps = inner.steps;
    return round;
  });
  return text.join('');
}

/** What a loop goes over: the items of a list, the names of a dictionary, the letters of a text. */
function itemsOf(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isDictionary(value)) return Object.keys(value);
  if (value === MISSING) return [];
  throw new RenderError('a value that is no list is gone through');
}

function evaluate(run: Run, expression: Expression): Value {
  run.steps += 1;
  if (run.steps > MAX_STEPS) throw new RenderError('a template takes too many steps');
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'name':
      return run.local.has(expression.name)
        ? (run.local.get(expression.name) as Value)
        : member(run.scope, expression.name);
    case 'list':
      return expression.items.map((item) => evaluate(run, item));
    case 'dictionary':
      return Object.fromEntries(
        expression.entries.map(([name, held]) => [textOf(evaluate(run, name)), evaluate(run, held)]),
      );
    case 'member':
      return memberOf(evaluate(run, expression.of), evaluate(run, expression.key), expression.byDot);
    case 'slice':
      return sliceOf(
        evaluate(run, expression.of),
        expression.parts.map((part) => (part === undefined ? null : evaluate(run, part))),
      );
    case 'not':
      return !isTrue(evaluate(run, expression.of));
    case 'minus':
      return operate('-', 0, evaluate(run, expression.of));
    case 'and': {
      const left = evaluate(run, expression.left);
      return isTrue(left) ? evaluate(run, expression.right) : left;
    }
    case 'or': {
      const left = evaluate(run, expression.left);
      return isTrue(left) ? left : evaluate(run, expression.right);
    }
    case 'choice':
      if (isTrue(evaluate(run, expression.when))) return evaluate(run, expression.chosen);
      return expression.otherwise === undefined ? MISSING : evaluate(run, expression.otherwise);
    case 'calculate':
      return operate(expression.operator, evaluate(run, expression.left), evaluate(run, expression.right));
    case 'compare':
      return compared(run, expression);
    default:
      return called(run, expression);
  }
}

function called(run: Run, expression: Extract<Expression, { args: Arguments }>): Value {
  const list = expression.args.list.map((argument) => evaluate(run, argument));
  const named = new Map([...expression.args.named].map(([name, argument]) => [name, evaluate(run, argument)] as const));
  if (expression.kind === 'method') return callMethod(evaluate(run, expression.of), expression.name, list);
  const table = { macro: MACROS, filter: FILTERS, test: TESTS }[expression.kind];
  const call = table.get(expression.name);
  if (call === undefined) throw new RenderError(`there is no ${expression.kind} ${expression.name}`);
  return call(list, named);
}

function memberOf(of: Value, key: Value, byDot: boolean): Value {
  if (of === MISSING) throw new UndefinedValue();
  if (isDictionary(of) && !isTime(of)) return member(of, textOf(key));
  if (Array.isArray(of) || typeof of === 'string') {
    const index = isNumeric(key) ? Number(wholeOf(key) ?? Number.NaN) : Number.NaN;
    return index >= -of.length && index < of.length ? (of.at(index) as Value) : MISSING;
  }
  return byDot && isTime(of) ? attributeOf(of, textOf(key)) : MISSING;
}

function sliceOf(of: Value, parts: readonly Value[]): Value {
  if (!Array.isArray(of) && typeof of !== 'string') throw new RenderError('only lists and texts are cut');
  const [from, to, step] = parts.map((part) => (isNumeric(part) ? Number(wholeOf(part) ?? 0n) : undefined));
  const cut = of.slice(from ?? 0, to ?? of.length);
  if (step === undefined || step === 1) return cut;
  if (step === -1 && from === undefined && to === undefined)
    return typeof of === 'string' ? [...of].reverse().join('') : of.toReversed();
  if (step < 2) throw new RenderError('a cut goes forward');
  const kept = [...cut].filter((_, index) => index % step === 0);
  return typeof of === 'string' ? kept.join('') : (kept as Value[]);
}

function compared(run: Run, { first, rest }: Extract<Expression, { kind: 'compare' }>): boolean {
  let left = evaluate(run, first);
  for (const { operator, with: other } of rest) {
    const right = evaluate(run, other);
    if (!holds(operator, left, right)) return false;
    left = right;
  }
  return true;
}

function holds(operator: string, left: Value, right: Value): boolean {
  if (operator === '==') return areEqual(left, right);
  if (operator === '!=') return !areEqual(left, right);
  if (operator === 'in') return contains(right, left);
  if (operator === 'not in') return !contains(right, left);
  if (left === MISSING || right === MISSING) throw new UndefinedValue();
  const order = compareValues(left, right);
  if (order === undefined) throw new RenderError('values of different kinds are compared');
  if (operator === '<') return order < 0;
  if (operator === '>') return order > 0;
  return operator === '<=' ? order <= 0 : order >= 0;
}

function contains(all: Value, one: Value): boolean {
  if (all === MISSING) return false;
  if (typeof all === 'string') return all.includes(textOf(one));
  if (Array.isArray(all)) return all.some((item) => areEqual(item, one));
  if (isDictionary(all)) return Object.hasOwn(all, textOf(one));
  throw new RenderError('a value that holds nothing is looked into');
}

function operate(operator: string, left: Value, right: Value): Value {
  if (operator === '~') return textOf(left) + textOf(right);
  if (left === MISSING || right === MISSING) throw new UndefinedValue();
  const [a, b] = [typeof left === 'boolean' ? Number(left) : left, typeof right === 'boolean' ? Number(right) : right];
  if (isNumeric(a) && isNumeric(b)) return calculate(operator, a, b);
  if (isTime(a) || isTime(b)) return operateTimes(operator, a, b);
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') return a + b;
  if (operator === '+' && Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (operator === '*' && typeof a === 'string' && isNumeric(b)) return repeated(a, Number(wholeOf(b) ?? 0n));
  if (operator === '%' && typeof a === 'string') return formatted(a, Array.isArray(b) ? b : [b]);
  throw new RenderError(`${operator} between values of these kinds`);
}

function repeated(text: string, times: number): string {
  if (text.length * times > MAX_TEXT) throw new RenderError('a template makes too long a text');
  return text.repeat(Math.max(0, times));
}

/** `%s`, `%d`, `%i` and `%0Nd` of Python's old formatting. */
function formatted(pattern: string, values: readonly Value[]): string {
  let next = 0;
  return pattern.replace(/%(0?\d{0,3})([sdi%])/g, (_, width: string, kind: string) => {
    if (kind === '%') return '%';
    const text = textOf(next < values.length ? (values[next] as Value) : MISSING);
    next += 1;
    return text.padStart(Number(width || 0), width.startsWith('0') ? '0' : ' ');
  });
}

function operateTimes(operator: string, left: Value, right: Value): Value {
  const sign = operator === '+' ? 1 : -1;
  const fits = isTime(left) && (operator === '+' || operator === '-');
  if (fits && isTime(right) && right[KIND] === 'span') return addSpan(left, right, sign);
  if (fits && isTime(right) && operator === '-' && left[KIND] === right[KIND]) return difference(left, right);
  if (isTime(right) && operator === '+' && isTime(left) && left[KIND] === 'span') return addSpan(right, left, 1);
  throw new RenderError(`${operator} between values of these kinds`);
}

function addSpan(left: TimeValue, by: Span, sign: 1 | -1): TimeValue {
  if (left[KIND] === 'instant') return moved(left, by, sign);
  if (left[KIND] === 'span') return span(left.micros + BigInt(sign) * by.micros, left.months + sign * by.months);
  const at = moved(instant(BigInt(left.days) * BigInt(SECONDS_PER_DAY) * 1_000_000n), by, sign);
  return { ...left, days: Math.floor(Number(at.micros / 1_000_000n) / SECONDS_PER_DAY) };
}

function difference(left: TimeValue, right: TimeValue): Value {
  if (left[KIND] === 'instant' && right[KIND] === 'instant') return span(left.micros - right.micros);
  if (left[KIND] === 'day' && right[KIND] === 'day')
    return span(BigInt(left.days - right.days) * BigInt(SECONDS_PER_DAY) * 1_000_000n);
  return exact('0');
}
