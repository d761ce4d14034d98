import type { Tenant } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Problem } from '@weir/kernel/contract';
import {
  type Definition,
  type DefinitionsService,
  type PatternMaker,
  transformProblems,
} from '@weir/plugin-transforms/contract';
import { type Fault, type MadeDefinition, makeDefinition, type TransformPattern } from '@weir/transform-sdk';
import type {
  getTransformPattern,
  listTransformPatterns,
  previewTransformPattern,
  validateTransformPattern,
} from '../contract.ts';
import { categoriesOf, pageOf } from '../model/pages.ts';
import type { Packages } from './catalog.ts';

type Given = Readonly<Record<string, unknown>>;

export interface PatternDeps {
  packages: Packages;
  definitions: DefinitionsService;
}

/** Transform patterns: what there is, and what one makes of parameters. */
export function patternService({ packages, definitions }: PatternDeps) {
  const found = async (patternId: string): Promise<TransformPattern> => {
    const pattern = (await packages.current()).patterns.get(patternId);
    if (pattern === undefined) throw kernelProblems.notFound();
    return pattern;
  };
  const all = async () => {
    const { patterns, faults } = await packages.current();
    return { summaries: [...patterns.values()].map(summaryOf), faults: [...faults] };
  };
  return {
    async list(query: Input<typeof listTransformPatterns>['query']): Promise<Output<typeof listTransformPatterns>> {
      const { category, ...request } = query ?? {};
      const { summaries, faults } = await all();
      const items = summaries.filter((one) => category === undefined || one.category === category);
      return { ...pageOf('transform-patterns', items, (one) => one.pattern_id, request), faults };
    },

    categories: async () => categoriesOf((await all()).summaries),

    async get(patternId: string): Promise<Output<typeof getTransformPattern>> {
      const pattern = await found(patternId);
      const { docs, template, document } = pattern;
      return { ...summaryOf(pattern), parameters: document.parameters, template: template.text, docs };
    },

    /** Answers faults of the parameters, or else of the statement that they make. */
    async validate(
      tenant: Tenant,
      { patternId, parameters, signal }: { patternId: string; parameters: Given; signal: AbortSignal },
    ): Promise<Output<typeof validateTransformPattern>> {
      const result = makeDefinition(await found(patternId), parameters);
      if ('faults' in result) return { ...NOTHING, faults: result.faults.map(ofParameters) };
      const validation = await definitions.validate(tenant, result.made as Definition, signal);
      return { ...validation, definition: madeOf(result.made) };
    },

    async preview(
      tenant: Tenant,
      patternId: string,
      { parameters, limit = 50 }: Input<typeof previewTransformPattern>['body'],
    ): Promise<Output<typeof previewTransformPattern>> {
      const made = madeOf(definitionOf(await found(patternId), parameters).made);
      return { ...made, ...(await definitions.preview(tenant, { sql: made.sql, limit })) };
    },
  };
}

/** Makes definitions for `POST /transforms`. */
export function patternMaker(packages: Packages): PatternMaker {
  return {
    async make(patternId, parameters) {
      const pattern = (await packages.current()).patterns.get(patternId);
      if (pattern === undefined) {
        throw transformProblems.patternUnknown({ errors: [{ pointer: '/pattern_id', code: 'unknown' }] });
      }
      const { made, parameters: read } = definitionOf(pattern, parameters);
      const { version, document } = pattern;
      return {
        definition: made as Definition,
        origin: { kind: 'transform_pattern', pattern_id: document.id, version, parameters: read },
      };
    },
  };
}

/** Throws `pattern_parameters_invalid` with the place of each fault. */
function definitionOf(pattern: TransformPattern, parameters: Given) {
  const result = makeDefinition(pattern, parameters);
  if ('faults' in result) throw parametersInvalid(result.faults);
  return result;
}

export function parametersInvalid(faults: readonly Fault[]): Problem {
  const errors = faults.map(({ pointer, ...fault }) => ({ ...fault, pointer: `/parameters${pointer}` }));
  return transformProblems.patternParametersInvalid({ values: { count: faults.length }, errors });
}

const ofParameters = (fault: Fault): Fault => ({ ...fault, pointer: `/parameters${fault.pointer}` });

const madeOf = ({ sql, materialization, key = [], partition_by = [], incremental, checks }: MadeDefinition) => ({
  ...{ sql, materialization: materialization as NonNullable<Definition['materialization']> },
  ...{ key: [...key], partition_by: [...partition_by], incremental: incremental ?? null },
  checks: [...((checks as Definition['checks']) ?? [])],
});

/** What is known of a statement that parameters do not make. */
const NOTHING = { valid: false, definition: null, inputs: [], columns: [], lineage: [], findings: [], estimate: null };

function summaryOf({ document, version }: TransformPattern) {
  const { id, title, category, description, layer } = document;
  return { pattern_id: id, version, title, category, description, layer };
}
