import { Type } from '@sinclair/typebox';
import { schemaFaults } from '@weir/documents';
import { compileSchema, validationSchema } from '@weir/json-schemas';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import { getPattern } from '@weir/plugin-sources/contract';
import { getTransformPattern, validateTransformPattern } from '@weir/plugin-transform-patterns/contract';
import type { PatternParamsView, suggestPatternParams } from '../../contract/suggest.ts';
import { withoutValues } from '../../model/prompt/redact.ts';
import { fillParams } from '../../model/write/fill-params.ts';
import type { AskContext } from '../assist.ts';
import type { TaskDeps } from './services.ts';

type Body = Input<typeof suggestPatternParams>['body'];
type Shape = Readonly<Record<string, unknown>>;

const Draft = Type.Object({ params: Type.Record(Type.String({ maxLength: 200 }), Type.Unknown()) });

interface Pattern {
  schema: Shape;
  /** Pointers to members that hold credentials. */
  credentials: readonly string[];
}

/** Parameters of a pattern, without any credential. */
export async function suggestParams({ assist, datasets }: TaskDeps, context: AskContext, body: Body) {
  const { pattern_id: patternId, kind, dataset_ids: ids = [], partial_params: given = {}, description = '' } = body;
  const { schema, credentials } = await patternOf(context, patternId, kind);
  const top = new Set(credentials.map((pointer) => pointer.split('/')[1] ?? ''));
  const refused = Object.keys(given).filter((name) => top.has(name));
  if (refused.length > 0) {
    const errors = [
      { pointer: '/partial_params', code: 'credential_given', message: 'holds a credential, which is not taken here' },
    ];
    throw kernelProblems.validationFailed({ errors });
  }
  const seen = await datasets.describeAll(context.tenant, ids);
  const filled = fillParams({ schema, given, datasets: seen, description, credentials: top });
  const members = membersOf(schema);
  return assist.run<typeof Draft, PatternParamsView>(context, {
    name: 'suggest-pattern-params',
    input: {
      pattern_id: patternId,
      kind,
      description: withoutValues(description),
      schema: promptSchema(schema, top),
      given: Object.keys(given),
      datasets: seen.map(({ dataset_id, columns }) => ({ dataset_id, columns })),
    },
    output: Draft,
    async embedded() {
      const params = Object.fromEntries(filled.map(({ name, value }) => [name, value]));
      return { output: { params }, confidence: Math.min(1, ...filled.map(({ confidence }) => confidence)) };
    },
    async check({ params: drafted }) {
      const foreign = Object.keys(drafted).filter((name) => !members.has(name) || top.has(name));
      const own = new Map(filled.map((one) => [one.name, one]));
      const per = [...members]
        .filter((name) => drafted[name] !== undefined && !top.has(name))
        .map((name) => {
          const rule = own.get(name);
          if (rule?.origin === 'given' || (rule !== undefined && same(rule.value, drafted[name]))) return rule;
          return { name, value: drafted[name], confidence: 0.5, origin: 'assistant' as const };
        });
      const checks = [{ check: 'known_parameters', passed: foreign.length === 0, detail: null }];
      if (foreign.length > 0) return { checks, faults: ['parameter_unknown'] };
      const params = Object.fromEntries(per.map(({ name, value }) => [name, value]));
      const required = (Array.isArray(schema.required) ? schema.required : []) as string[];
      const missing = required.filter((name) => params[name] === undefined);
      const errors =
        kind === 'transform' ? await asked(context, patternId, params) : faultsOf(schema, credentials, params);
      return {
        result: { params, per_param: per, missing, validation: { valid: errors.length === 0, errors } },
        checks,
      };
    },
  });
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const membersOf = ({ properties }: Shape): Set<string> =>
  new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []);

/** A schema without the members that hold credentials. */
function promptSchema(schema: Shape, credentials: ReadonlySet<string>): object {
  const properties = Object.entries((schema.properties ?? {}) as Shape).filter(([name]) => !credentials.has(name));
  return { required: schema.required ?? [], properties: Object.fromEntries(properties) };
}

async function patternOf({ call }: AskContext, patternId: string, kind: Body['kind']): Promise<Pattern> {
  const answer = await call(kind === 'transform' ? getTransformPattern : getPattern, {
    params: { pattern_id: patternId },
  });
  if (answer.status !== 200) throw kernelProblems.notFound();
  if (kind === 'transform') {
    return { schema: (answer.body as Output<typeof getTransformPattern>).parameters as Shape, credentials: [] };
  }
  const { spec, credential_fields: credentials } = answer.body as Output<typeof getPattern>;
  return { schema: spec, credentials };
}

async function asked({ call }: AskContext, patternId: string, params: object) {
  const { status, body } = await call(validateTransformPattern, {
    params: { pattern_id: patternId },
    body: { parameters: params },
  });
  if (status !== 200) return [{ pointer: '', code: 'not_checked' }];
  const { faults } = body as Output<typeof validateTransformPattern>;
  return faults.map(({ pointer, code }) => ({ pointer, code }));
}

function faultsOf(schema: Shape, credentials: readonly string[], params: object) {
  const validate = compileSchema(validationSchema(schema, { named: credentials }));
  if (validate(params)) return [];
  return schemaFaults(validate.errors ?? []).map(({ pointer, code }) => ({ pointer, code }));
}
