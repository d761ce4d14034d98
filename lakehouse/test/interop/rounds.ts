import { type Condition, currentSchema, type FieldType, isOrdered, parseCondition } from '../../src/index.ts';
import type { Answer, Engine } from './engine.ts';
import type { Shape } from './shapes.ts';
import type { TableAt } from './table-keeper.ts';
import { inOrder, type Workshop } from './workshop.ts';

/** A table of a shape, as our own commits and those of the engines left it. */
export type Sample = { readonly shape: Shape; readonly name: string; at: TableAt };
/** What an engine did not do, in its own words, or how what it read differs from what we read. */
export type Fault = { readonly shape: string; readonly words: string };

const COMPARED = ['eq', 'ge', 'is_null'] as const;
/** Of two texts that differ, so much is told. */
const MAX_TOLD = 300;

const comparable = ({ incomparable }: Engine, type: FieldType): boolean =>
  isOrdered(type) && !(type as string).startsWith('fixed') && !incomparable.includes(type as string);

/** Conditions that a table's own values suggest: of each column that has an order, one value to be met and one bound. */
function conditionsOf(engine: Engine, { metadata }: TableAt, rows: readonly (readonly unknown[])[]): Condition[] {
  return currentSchema(metadata).fields.flatMap((field, at) => {
    if (field.name.startsWith('_') || !comparable(engine, field.type)) return [];
    const values = rows.map((row) => row[at]).filter((value) => value !== null);
    const middle = values[Math.floor(values.length / 2)];
    return COMPARED.flatMap((op) => {
      const text = op === 'is_null' ? undefined : String(middle);
      const made = op !== 'is_null' && middle === undefined ? 'value' : parseCondition(field, op, text);
      return typeof made === 'string' ? [] : [made];
    });
  });
}

const difference = (what: string, theirs: readonly unknown[] | undefined, ours: readonly unknown[]): string[] => {
  const [found, wanted] = [inOrder(theirs ?? []), inOrder(ours)];
  if (theirs !== undefined && found.join('\n') === wanted.join('\n')) return [];
  const at = wanted.findIndex((row, place) => row !== found[place]);
  return [`${what}: ${found.length} rows for ${wanted.length}; ${found[at]} for ${wanted[at]}`.slice(0, MAX_TOLD)];
};

/** Lets an engine read all of the tables, and finds where it differs from us: in rows, in values, and filtered if told. */
export async function readAll(
  shop: Workshop,
  engine: Engine,
  samples: readonly Sample[],
  { filtered }: { filtered: boolean },
): Promise<Fault[]> {
  const asked = await Promise.all(
    samples.map(async ({ name, at }) => {
      const rows = await shop.rows(at);
      return {
        name,
        metadataLocation: at.metadataLocation,
        rows,
        conditions: filtered ? conditionsOf(engine, at, rows) : [],
      };
    }),
  );
  const answers = await engine.ask({ append: false, tables: asked });
  const faults: Fault[] = [];
  for (const [place, { name, rows, conditions }] of asked.entries()) {
    const { shape, at } = samples[place]!;
    const answer: Answer = answers[name] ?? {};
    const differences = answer.error === undefined ? difference('all', answer.rows, rows) : [String(answer.error)];
    if (answer.error === undefined) {
      for (const [key, one] of conditions.entries()) {
        const what = `${one.field.name} ${one.op} ${one.text ?? ''}`;
        differences.push(...difference(what, answer[key], await shop.rows(at, [one])));
      }
    }
    faults.push(...differences.map((words) => ({ shape: shape.name, words })));
  }
  return faults;
}

/** Lets an engine append to the tables, and then appends to each ourselves; `moved` finds it where the engine left it. */
export async function appendAll(
  shop: Workshop,
  engine: Engine,
  samples: readonly Sample[],
  moved: (sample: Sample) => Promise<TableAt>,
): Promise<Fault[]> {
  const tables = samples.map(({ name, at }) => ({ name, metadataLocation: at.metadataLocation, conditions: [] }));
  const answers = await engine.ask({ append: true, tables });
  const faults: Fault[] = [];
  for (const sample of samples) {
    const { shape, name } = sample;
    const { error, rows = [] } = answers[name] ?? {};
    if (error !== undefined) faults.push({ shape: shape.name, words: String(error) });
    const before = await shop.rows(sample.at);
    const theirs = await moved(sample);
    const expected = error === undefined ? [...before, ...rows] : before;
    const found = difference('after its append', await shop.rows(theirs), expected);
    sample.at = await shop.append(theirs, [shape.more]);
    const after = (await shop.rows(sample.at)).length;
    if (after !== expected.length + 1) found.push(`after our append: ${after} rows for ${expected.length + 1}`);
    faults.push(...found.map((words) => ({ shape: shape.name, words })));
  }
  return faults;
}
