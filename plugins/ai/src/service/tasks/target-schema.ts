import { Type } from '@sinclair/typebox';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import type { suggestTargetSchema, TargetSchemaView } from '../../contract/suggest.ts';
import { fieldsOfColumns, type Target } from '../../model/fields/field.ts';
import { rankTargets } from '../../model/fields/map-fields.ts';
import type { AskContext } from '../assist.ts';
import { candidateTargets, namedTarget } from '../sight/targets.ts';
import type { TaskDeps } from './services.ts';

type Body = Input<typeof suggestTargetSchema>['body'];

const Draft = Type.Object({
  candidates: Type.Array(
    Type.Object({ full_id: Type.String({ maxLength: 600 }), confidence: Type.Number({ minimum: 0, maximum: 1 }) }),
    { maxItems: 50 },
  ),
});

/** Schemas that columns may be brought into. */
export async function suggestTarget({ assist, datasets }: TaskDeps, context: AskContext, body: Body) {
  const { dataset_id: datasetId, columns, sample_rows: rows = [], goal = '', max_candidates: most = 5 } = body;
  if ((datasetId === undefined) === (columns === undefined)) {
    throw kernelProblems.validationFailed({ errors: [{ pointer: '/dataset_id', code: 'choose_one' }] });
  }
  const seen = datasetId === undefined ? undefined : await datasets.describe(context.tenant, datasetId);
  const source = fieldsOfColumns(seen?.columns ?? columns ?? []);
  const { targets, warnings } = await targetsFor(
    context,
    body,
    `${goal} ${datasetId?.split('.').at(-1) ?? ''}`,
    source.map(({ name }) => name),
  );
  const values = seen === undefined ? valuesOf(rows) : await datasets.values(context.tenant, seen, context.signal);
  const ranked = () => rankTargets(source, targets, most, values);
  return assist.run<typeof Draft, TargetSchemaView>(context, {
    name: 'suggest-target-schema',
    input: {
      goal,
      columns: source.map(({ name, type }) => ({ name, type })),
      candidates: targets.map(({ full_id, fields }) => ({
        full_id,
        fields: fields.map(({ name, type }) => ({ name, type })),
      })),
    },
    output: Draft,
    warnings,
    async embedded() {
      const candidates = ranked().flatMap(({ full_id, confidence }) =>
        full_id === null ? [] : [{ full_id, confidence }],
      );
      return { output: { candidates }, confidence: candidates[0]?.confidence ?? 0.3 };
    },
    // A provider orders what is known: fields, matches and coverage are those of the platform.
    async check({ candidates }) {
      const known = new Map(rankTargets(source, targets, targets.length + 1, values).map((one) => [one.full_id, one]));
      const chosen = candidates.flatMap(({ full_id, confidence }) => {
        const one = known.get(full_id);
        return one === undefined ? [] : [{ ...one, confidence }];
      });
      const unknown = candidates.filter(({ full_id }) => !known.has(full_id));
      const checks = [{ check: 'known_schemas', passed: unknown.length === 0, detail: null }];
      if (unknown.length > 0) return { checks, faults: ['schema_unknown'] };
      const inferred = known.get(null);
      return {
        result: { candidates: [...chosen.slice(0, most - 1), ...(inferred === undefined ? [] : [inferred])] },
        checks,
      };
    },
  });
}

async function targetsFor(context: AskContext, body: Body, words: string, names: readonly string[]) {
  if (body.entity_type_code !== undefined) {
    const target = await namedTarget(context.call, { entity_type_code: body.entity_type_code });
    return { targets: [target] as Target[], warnings: [] };
  }
  const asked = [words.replaceAll('_', ' ').trim(), ...names].join(' ');
  return candidateTargets(context.call, { words: asked, libraryId: body.library_id });
}

function valuesOf(rows: readonly Record<string, unknown>[]): ReadonlyMap<string, readonly unknown[]> {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return new Map([...names].map((name) => [name, rows.map((row) => row[name])]));
}
