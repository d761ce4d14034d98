import { Type } from '@sinclair/typebox';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import { getTransform } from '@weir/plugin-transforms/contract';
import type { reviewSql, SqlReviewView } from '../../contract/statements.ts';
import type { AskContext } from '../assist.ts';
import { reviewOf, type ValidationView } from '../sight/review.ts';
import type { TaskDeps } from './services.ts';

type Body = Input<typeof reviewSql>['body'];
export type TransformView = Output<typeof getTransform>;

/** A transform as its caller may read it. Throws `not_found`. */
export async function readTransform({ call }: AskContext, transformId: string): Promise<TransformView> {
  const { status, body } = await call(getTransform, { params: { transform_id: transformId } });
  if (status !== 200) throw kernelProblems.notFound();
  return body as TransformView;
}

/** The definition that was saved last. */
export function savedDefinition({ draft, ...inForce }: TransformView) {
  const { sql, output, materialization, key, partition_by, incremental, checks } = draft ?? inForce;
  const how = { sql, output, materialization, checks };
  return {
    ...how,
    ...(key.length > 0 && { key }),
    ...(partition_by.length > 0 && { partition_by }),
    ...(incremental !== null && { incremental }),
  };
}

/** What a statement may do that its author does not mean. Rules find it. */
export async function review({ assist, definitions }: TaskDeps, context: AskContext, body: Body) {
  const { sql, transform_id: transformId, rules } = body;
  if (sql === undefined && transformId === undefined) {
    throw kernelProblems.validationFailed({ errors: [{ pointer: '/sql', code: 'required' }] });
  }
  const saved = transformId === undefined ? undefined : savedDefinition(await readTransform(context, transformId));
  const definition = { ...saved, sql: sql ?? saved?.sql ?? '' };
  return assist.run(context, {
    name: 'review-sql',
    input: { sql: definition.sql },
    output: Type.Object({}),
    rulesOnly: true,
    embedded: async () => ({ output: {}, confidence: 1 }),
    async check() {
      const found = await definitions.validate(context.tenant, definition, context.signal);
      return { result: viewOf(found, rules), checks: [{ check: 'statement', passed: found.valid, detail: null }] };
    },
  });
}

function viewOf(found: ValidationView, rules: readonly string[] | undefined): SqlReviewView {
  const sources = new Map(found.lineage.map(({ column, sources }) => [column, sources]));
  const [fault] = found.faults;
  return {
    ...reviewOf(found, rules),
    tables: found.inputs.map(({ dataset_id }) => dataset_id),
    columns: found.columns.map(({ name, type }) => ({ name, type, sources: sources.get(name) ?? [] })),
    explain: { ok: found.valid, error: fault === undefined ? null : (fault.message ?? fault.code) },
    complexity: { tables: found.inputs.length, columns: found.columns.length, rows: found.estimate?.rows ?? null },
  };
}
