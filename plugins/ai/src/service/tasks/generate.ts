import { Type } from '@sinclair/typebox';
import type { Input, Output } from '@weir/kernel/contract';
import { getTransformPattern, validateTransformPattern } from '@weir/plugin-transform-patterns/contract';
import type { ArtifactView } from '../../contract/shapes.ts';
import type { GeneratedTransformView, generateTransform } from '../../contract/statements.ts';
import { withoutLinks, withoutValues } from '../../model/prompt/redact.ts';
import { fillParams } from '../../model/write/fill-params.ts';
import { CannotWrite, type Written, writeStatement } from '../../model/write/statement.ts';
import type { AskContext } from '../assist.ts';
import { Unsupported } from '../provider.ts';
import type { SeenDataset } from '../sight/datasets.ts';
import { judgeStatement } from '../sight/statements.ts';
import { namedTarget } from '../sight/targets.ts';
import { readTransform } from './review-sql.ts';
import type { TaskDeps } from './services.ts';

type Body = Input<typeof generateTransform>['body'];

const MAX_SQL_CHARS = 100_000;
const MAX_WORDS = 4_000;
/** What a provider drafts of a transform. */
export const StatementDraft = Type.Object({
  sql: Type.String({ minLength: 1, maxLength: MAX_SQL_CHARS }),
  explanation: Type.String({ maxLength: MAX_WORDS }),
  key: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 16 })),
});

/** The pattern that keeps one row of each key, the one that a description asks for by words. */
const DEDUPLICATE = 'deduplicate';

/** A transform from a description. */
export async function generate({ assist, datasets, definitions }: TaskDeps, context: AskContext, body: Body) {
  const { description = '', inputs, kind = 'sql', transform_id: transformId } = body;
  const transform = transformId === undefined ? undefined : await readTransform(context, transformId);
  const [seen, target] = await Promise.all([
    datasets.describeAll(context.tenant, inputs),
    body.target === undefined ? undefined : namedTarget(context.call, body.target),
  ]);
  let pattern: Pick<ArtifactView, 'pattern_id' | 'params'> = { pattern_id: null, params: null };
  return assist.run<typeof StatementDraft, GeneratedTransformView>(context, {
    name: 'generate-transform',
    input: {
      description: withoutValues(description),
      inputs: seen.map(({ dataset_id, columns }) => ({ dataset_id, columns })),
      target: target?.fields.map(({ name, type, nullable }) => ({ name, type, nullable })) ?? null,
    },
    output: StatementDraft,
    transform,
    async embedded() {
      const written = understood(() => writeStatement({ description, inputs: seen, target: target?.fields }));
      if (kind === 'sql') return { output: draftOf(written), confidence: written.confidence };
      const made = await byPattern(context, { description, seen, written });
      pattern = made.pattern;
      return { output: draftOf({ ...written, sql: made.sql }), confidence: written.confidence };
    },
    async check({ sql, explanation, key = [] }) {
      const judged = await judgeStatement(definitions, context.tenant, {
        definition: { sql },
        allowed: inputs,
        signal: context.signal,
      });
      const { validation, review, checks, faults } = judged;
      if (faults.length > 0) return { checks, faults };
      const columns = new Set(validation.columns.map(({ name }) => name));
      const known = key.filter((name) => columns.has(name));
      const result: GeneratedTransformView = {
        artifact: { kind: pattern.pattern_id === null ? 'sql' : 'pattern', sql, ...pattern },
        output_schema: validation.columns,
        lineage: validation.lineage,
        review,
        tests: known.length === 0 ? [] : [{ name: 'key_once', kind: 'unique', columns: known }],
        explanation: withoutLinks(explanation),
      };
      return { result, checks };
    },
  });
}

const draftOf = ({ sql, explanation, key }: Written) => ({ sql, explanation, key: [...key] });

function understood(write: () => Written): Written {
  try {
    return write();
  } catch (error) {
    if (error instanceof CannotWrite) throw new Unsupported(error.message);
    throw error;
  }
}

/** The pattern that makes the same rows, with its parameters. */
async function byPattern(
  { call }: AskContext,
  { seen, written, description }: { seen: readonly SeenDataset[]; written: Written; description: string },
) {
  if (!/\bqualify row_number\(\)/.test(written.sql)) throw new Unsupported('no pattern makes this table');
  const params = { pattern_id: DEDUPLICATE };
  const found = await call(getTransformPattern, { params });
  if (found.status !== 200) throw new Unsupported('the pattern for it is not installed');
  const { parameters } = found.body as Output<typeof getTransformPattern>;
  const order = /order by (?:"([^"]+)"|(\w+)) desc/.exec(written.sql);
  const given = { key: [...written.key], order_by: [{ column: order?.[1] ?? order?.[2] ?? '' }] };
  const schema = parameters as Readonly<Record<string, unknown>>;
  const filled = fillParams({ schema, given, datasets: seen, description, credentials: new Set() });
  const chosen = Object.fromEntries(filled.map(({ name, value }) => [name, value]));
  const { status, body } = await call(validateTransformPattern, { params, body: { parameters: chosen } });
  const definition = status === 200 ? (body as Output<typeof validateTransformPattern>).definition : null;
  if (definition === null) throw new Unsupported('the pattern does not take these columns');
  return { sql: definition.sql, pattern: { pattern_id: DEDUPLICATE, params: chosen } };
}
