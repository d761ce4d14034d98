import { Type } from '@sinclair/typebox';
import type { Tenant } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import { aiProblems } from '../../contract/problems.ts';
import type { FieldMappingsView, suggestFieldMappings } from '../../contract/suggest.ts';
import { type Field, fieldsOfColumns, fieldsOfJsonSchema, type Target } from '../../model/fields/field.ts';
import { mapFields } from '../../model/fields/map-fields.ts';
import type { AskContext } from '../assist.ts';
import type { SampleValues, SeenDataset } from '../sight/datasets.ts';
import { namedTarget } from '../sight/targets.ts';
import type { TaskDeps } from './services.ts';

type Body = Input<typeof suggestFieldMappings>['body'];

const Pair = Type.Object({
  source_field: Type.String({ maxLength: 255 }),
  target_field: Type.String({ maxLength: 255 }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
});
const Draft = Type.Object({ mappings: Type.Array(Pair, { maxItems: 2_000 }) });

export interface MappingSides {
  source: readonly Field[];
  values: SampleValues;
  target: Target;
}

/** Which field of a target each column fills. */
export async function suggestMappings({ assist, datasets }: TaskDeps, context: AskContext, body: Body) {
  const { top_k: topK = 3, min_confidence: minConfidence = 0.3 } = body;
  const sides = await sidesOf({ datasets }, context, body);
  return assist.run(context, { ...mappingTask(sides, { topK, minConfidence }), name: 'suggest-field-mappings' });
}

/** Both sides of a mapping. */
export async function sidesOf(
  { datasets }: Pick<TaskDeps, 'datasets'>,
  context: AskContext,
  body: Pick<Body, 'source' | 'target'>,
): Promise<MappingSides> {
  const { fields, seen } = await sourceOf({ datasets }, context.tenant, body.source);
  const target = await namedTarget(context.call, body.target);
  const values = seen === undefined ? new Map() : await datasets.values(context.tenant, seen, context.signal);
  return { source: fields, values, target };
}

/** The fields of the side that is read. */
export async function sourceOf(
  { datasets }: Pick<TaskDeps, 'datasets'>,
  tenant: Tenant,
  { dataset_id: datasetId, schema }: Body['source'],
): Promise<{ fields: readonly Field[]; seen?: SeenDataset }> {
  if ((datasetId === undefined) === (schema === undefined)) {
    throw kernelProblems.validationFailed({ errors: [{ pointer: '/source', code: 'choose_one' }] });
  }
  if (datasetId !== undefined) {
    const seen = await datasets.describe(tenant, datasetId);
    return { fields: fieldsOfColumns(seen.columns), seen };
  }
  const fields = fieldsOfJsonSchema(schema);
  if (fields.length > 0) return { fields };
  throw aiProblems.unsupportedRequest({ values: { reason: 'the schema has no properties' } });
}

/** The task of mapping, for a call and for a workflow. */
export function mappingTask(
  { source, values, target }: MappingSides,
  { topK, minConfidence }: { topK: number; minConfidence: number },
) {
  const ask = { source, target, values, topK, minConfidence };
  return {
    input: {
      source: source.map(({ name, type }) => ({ name, type })),
      target: target.fields.map(({ name, type, nullable, primary_key }) => ({ name, type, nullable, primary_key })),
    },
    output: Draft,
    async embedded() {
      const mappings = mapFields(ask).mappings.map(({ source_field, target_field, confidence }) => ({
        source_field,
        target_field,
        confidence,
      }));
      return { output: { mappings }, confidence: meanOf(mappings.map(({ confidence }) => confidence)) };
    },
    async check({ mappings }: { mappings: (typeof Draft)['static']['mappings'] }) {
      const [from, to] = [new Set(source.map(({ name }) => name)), new Set(target.fields.map(({ name }) => name))];
      const unknown = mappings.some(
        ({ source_field, target_field }) => !from.has(source_field) || !to.has(target_field),
      );
      const checks = [{ check: 'known_fields', passed: !unknown, detail: null }];
      if (unknown) return { checks, faults: ['field_unknown'] };
      const mapped = mapFields(ask, mappings);
      const result: FieldMappingsView = { ...mapped, primary_key: keyOf(target, mapped.mappings, values) };
      return { result, checks };
    },
  };
}

/** Whether the key of the target would be unique, by the rows that were looked at. */
function keyOf(
  { fields }: Target,
  mappings: FieldMappingsView['mappings'],
  values: SampleValues,
): FieldMappingsView['primary_key'] {
  const key = fields.filter(({ primary_key }) => primary_key).map(({ name }) => name);
  if (key.length === 0) return null;
  const columns = key.map((name) => mappings.find(({ target_field }) => target_field === name)?.source_field);
  const sampled = columns.map((name) => (name === undefined ? undefined : values.get(name)));
  const [first] = sampled;
  if (first === undefined || sampled.some((one) => one === undefined))
    return { fields: key, unique: null, nulls: null };
  const rows = first.map((_, at) => sampled.map((one) => one?.[at]));
  const whole = rows.filter((row) => row.every((value) => value !== null && value !== undefined));
  const distinct = new Set(whole.map((row) => JSON.stringify(row)));
  return { fields: key, unique: distinct.size === whole.length, nulls: rows.length - whole.length };
}

const meanOf = (scores: readonly number[]): number =>
  scores.length === 0 ? 0 : Math.round((scores.reduce((sum, one) => sum + one, 0) / scores.length) * 1_000) / 1_000;
