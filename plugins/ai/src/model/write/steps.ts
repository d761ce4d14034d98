import { plainName, quotedId } from '../sql/names.ts';
import { CannotWrite } from './statement.ts';

export interface DraftedStep {
  name: string;
  sql: string;
  explanation: string;
}

export interface PlacedStep extends DraftedStep {
  step_id: string;
  output: string;
  /** The statement with those of the steps before it in place of their tables, as the engine can bind it now. */
  whole: string;
  /** Steps whose tables it reads. */
  after: string[];
}

/** The sentences of a goal, each a step. */
export const sentencesOf = (goal: string): string[] =>
  goal
    .split(/\s*(?:;|\n|\.(?=\s|$)|,?\s*\bthen\b)\s*/iu)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

/** Characters of the name of a step: behind that of its pipeline it names a transform, which has 63. */
export const MAX_STEP_NAME = 33;

/** A step's name from its sentence, as no step before it has one. */
export function stepName(sentence: string, taken: readonly string[]): string {
  const base = plainName(sentence.split(/\s+/).slice(0, 4).join(' ')).slice(0, MAX_STEP_NAME - '_12'.length);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** The table that a step writes; the last one of a pipeline is what it is for. */
export const outputOf = (scope: string, name: string, isLast: boolean): string =>
  `${isLast ? 'gold' : 'silver'}.${scope}.${name.replaceAll('-', '_')}`;

/** Characters of a statement with those before it in place of their tables: each place where it reads one is another copy. */
const MAX_WHOLE_CHARS = 400_000;

/** Steps with their tables, in the order in which they read each other. Throws `CannotWrite` for ones that unfold without end. */
export function placedSteps(
  steps: readonly DraftedStep[],
  { scope, pipeline }: { scope: string; pipeline: string },
): PlacedStep[] {
  const placed: PlacedStep[] = [];
  for (const [at, step] of steps.entries()) {
    const output = outputOf(scope, `${pipeline}_${step.name}`, at === steps.length - 1);
    const before = placed.filter((one) => readsTable(step.sql, one.output));
    const whole = before.reduce((sql, one) => withTable(sql, one.output, `(\n${one.whole}\n)`), step.sql);
    placed.push({ ...step, step_id: step.name, output, whole, after: before.map(({ step_id }) => step_id) });
  }
  return placed;
}

const tableForm = (output: string) =>
  new RegExp(`(?<![\\w."])${quotedId(output).replaceAll('.', '\\.')}(?![\\w."])`, 'g');
const readsTable = (sql: string, output: string): boolean => tableForm(output).test(sql);
function withTable(sql: string, output: string, text: string): string {
  const form = tableForm(output);
  if (sql.length + [...sql.matchAll(form)].length * text.length > MAX_WHOLE_CHARS)
    throw new CannotWrite('the statements before it make a text that is too long');
  return sql.replaceAll(form, () => text);
}

/** Steps in waves: those of a wave read what waves before it make. */
export function wavesOf(steps: readonly Pick<PlacedStep, 'step_id' | 'after'>[]): string[][] {
  const wave = new Map<string, number>();
  for (const { step_id, after } of steps) wave.set(step_id, Math.max(-1, ...after.map((id) => wave.get(id) ?? -1)) + 1);
  const last = Math.max(-1, ...wave.values());
  return Array.from({ length: last + 1 }, (_, at) => [...wave].filter(([, of]) => of === at).map(([id]) => id));
}
