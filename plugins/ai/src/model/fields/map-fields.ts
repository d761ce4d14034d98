import { type MatchColumn, matchColumns } from '@weir/matcher';
import type { FieldMappingsView, TargetSchemaView } from '../../contract/suggest.ts';
import { fieldTransform } from './cast.ts';
import { type Field, shownField, type Target } from './field.ts';

/** A pair of fields that a provider holds for the same. */
export interface FieldPair {
  source_field: string;
  target_field: string;
  confidence: number;
}

const SURE = 0.5;
const matchable = ({ name, type }: Pick<Field, 'name' | 'type'>, values?: readonly unknown[]): MatchColumn => {
  const typed = type === null ? { name } : { name, type };
  return values === undefined ? typed : { ...typed, values };
};

export interface MapAsk {
  source: readonly Field[];
  target: Pick<Target, 'fields' | 'relationships'>;
  /** Sample values by column, for matching alone. */
  values?: ReadonlyMap<string, readonly unknown[]>;
  topK: number;
  minConfidence: number;
}

type Mapping = FieldMappingsView['mappings'][number];

/** For each column the fields that it may fill; each field is filled by its best column alone. */
export function mapFields(
  { source, target, values, topK, minConfidence }: MapAsk,
  chosen?: readonly FieldPair[],
): Omit<FieldMappingsView, 'primary_key'> {
  const found = matchColumns(
    source.map((field) => matchable(field, values?.get(field.name))),
    target.fields.map((field) => matchable(field)),
    { topK: Math.max(topK, 3) },
  );
  const given = new Map(chosen?.map((pair) => [pair.source_field, pair]));
  const pairs = found.flatMap(({ source: name, alternatives }, at) => {
    const pair = given.get(name);
    const best = pair === undefined ? alternatives[0] : alternatives.find((one) => one.target === pair.target_field);
    const targetName = pair?.target_field ?? best?.target;
    const confidence = pair?.confidence ?? best?.score ?? 0;
    if ((chosen !== undefined && pair === undefined) || targetName === undefined || confidence < minConfidence)
      return [];
    return [{ at, name, targetName, confidence, reasons: best?.reasons, alternatives }];
  });
  const taken = new Set<string>();
  const mappings: Mapping[] = [];
  for (const { at, name, targetName, confidence, reasons, alternatives } of pairs.toSorted(
    (a, b) => b.confidence - a.confidence,
  )) {
    const [from, to] = [source[at], target.fields.find((field) => field.name === targetName)];
    if (taken.has(targetName) || from === undefined || to === undefined) continue;
    taken.add(targetName);
    mappings.push({
      source_field: name,
      target_field: targetName,
      confidence,
      reasons: {
        name: reasons?.name ?? 0,
        type: reasons?.type ?? 0,
        instance: reasons?.values ?? null,
        embedding: null,
      },
      transform: fieldTransform(from, to),
      alternatives: alternatives
        .filter((one) => one.target !== targetName)
        .slice(0, topK - 1)
        .map((one) => ({ target_field: one.target, confidence: one.score })),
    });
  }
  const order = new Map(source.map(({ name }, at) => [name, at]));
  const mapped = new Map(mappings.map((mapping) => [mapping.target_field, mapping.source_field]));
  const used = new Set(mapped.values());
  return {
    mappings: mappings.toSorted((a, b) => (order.get(a.source_field) ?? 0) - (order.get(b.source_field) ?? 0)),
    unmapped_source: source.filter(({ name }) => !used.has(name)).map(({ name }) => name),
    unmapped_required: target.fields
      .filter(({ name, nullable }) => !nullable && !mapped.has(name))
      .map(({ name }) => name),
    relationships: relationshipsOf(source, target.relationships, used),
  };
}

/** Columns that could hold the key of another type: named as the relationship or its target, with the key behind it. */
function relationshipsOf(source: readonly Field[], relationships: Target['relationships'], used: ReadonlySet<string>) {
  const columns = source.filter(({ name }) => !used.has(name));
  return relationships.flatMap(({ code, target_type, target_key }) => {
    const names = target_key.flatMap((key) => [`${code}_${key}`, `${target_type}_${key}`].map((name) => ({ name })));
    const found = matchColumns(
      names,
      columns.map((column) => matchable(column)),
      { topK: 1 },
    );
    const best = found
      .flatMap(({ alternatives }) => alternatives)
      .filter(({ score }) => score >= 0.7)
      .toSorted((a, b) => b.score - a.score);
    const fields = [...new Set(best.map(({ target }) => target))].slice(0, target_key.length);
    return fields.length === target_key.length && fields.length > 0
      ? [{ code, target_type, source_fields: fields }]
      : [];
  });
}

type Candidate = TargetSchemaView['candidates'][number];

/** Schemas by how much of the columns they take; behind them the columns as they are. */
export function rankTargets(
  source: readonly Field[],
  targets: readonly Target[],
  most: number,
  values?: ReadonlyMap<string, readonly unknown[]>,
): Candidate[] {
  const ranked = targets.map((target): Candidate => {
    const { mappings } = mapFields({ source, target, topK: 1, minConfidence: SURE, ...(values && { values }) });
    const matches = mappings.map(({ source_field, target_field, confidence }) => ({
      source_field,
      target_field,
      confidence,
    }));
    const coverage = rounded(matches.length / Math.max(1, source.length));
    const mean = matches.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, matches.length);
    const needed = target.fields.filter(({ nullable }) => !nullable);
    const met = needed.filter(({ name }) => matches.some(({ target_field }) => target_field === name)).length;
    const whole = needed.length === 0 ? 1 : met / needed.length;
    const confidence = rounded(mean * (0.5 * coverage + 0.5 * whole));
    return {
      source: target.source,
      full_id: target.full_id,
      fields: target.fields.map(shownField),
      coverage,
      confidence,
      field_matches: matches,
    };
  });
  const known = ranked
    .filter(({ field_matches }) => field_matches.length > 0)
    .toSorted((a, b) => b.confidence - a.confidence);
  const own = { fields: source.map(shownField), coverage: 1, confidence: 0.3 };
  const matches = source.map(({ name }) => ({ source_field: name, target_field: name, confidence: 1 }));
  return [...known.slice(0, most - 1), { source: 'inferred' as const, full_id: null, ...own, field_matches: matches }];
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
