import type { Tenant } from '@weir/kernel';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import type { Definition } from '@weir/plugin-transforms/contract';
import { applySqlTransform, SQL_TYPES, type SqlTransform, type SqlType } from '@weir/transform-sdk';
import type { applySqlTransform as applyEndpoint, listSqlTransforms, SqlTransformView } from '../contract.ts';
import { categoriesOf, pageOf } from '../model/pages.ts';
import { typeName } from '../model/sql-type.ts';
import { type PatternDeps, parametersInvalid } from './patterns.ts';

/** SQL transforms: what there is, and transforms made of one. */
export function sqlTransformService({ packages, definitions }: PatternDeps) {
  const views = async () => [...(await packages.current()).sqlTransforms.values()].map(viewOf);
  const found = async (id: string): Promise<SqlTransform> => {
    const one = (await packages.current()).sqlTransforms.get(id);
    if (one === undefined) throw kernelProblems.notFound();
    return one;
  };
  return {
    /** All of them, or those that take a column of a type. */
    async list(
      query: Input<typeof listSqlTransforms>['query'],
      sqlType?: string,
    ): Promise<Output<typeof listSqlTransforms>> {
      const { category, ...request } = query ?? {};
      const type = sqlType === undefined ? undefined : knownType(sqlType);
      const items = (await views()).filter(
        (one) =>
          (category === undefined || one.category === category) && (type === undefined || one.types.includes(type)),
      );
      const { faults } = await packages.current();
      return { ...pageOf('sql-transforms', items, (one) => one.transform_id, request), faults: [...faults] };
    },

    categories: async () => categoriesOf(await views()),

    get: async (id: string): Promise<SqlTransformView> => viewOf(await found(id)),

    async apply(
      tenant: Tenant,
      createdBy: string,
      { id, body }: { id: string; body: Input<typeof applyEndpoint>['body'] },
    ) {
      const one = await found(id);
      const { input, columns, suffix, parameters = {}, ...rest } = body;
      const result = applySqlTransform(one, { input, columns, suffix }, parameters);
      if ('faults' in result) throw parametersInvalid(result.faults);
      const how = { input, columns, ...(suffix === undefined ? {} : { suffix }), ...result.parameters };
      const origin = { kind: 'sql_transform' as const, pattern_id: id, version: one.version, parameters: how };
      return definitions.create(tenant, createdBy, { ...rest, ...(result.made as Definition), origin });
    },
  };
}

/** The type that a path names, in the words of the table format. Throws `validation_failed` for one that no column has. */
function knownType(sqlType: string): SqlType {
  const name = typeName(sqlType);
  const type = SQL_TYPES.find((one) => one === name);
  if (type !== undefined) return type;
  const errors = [{ pointer: '/params/sql_type', code: 'enum', known: [...SQL_TYPES] }];
  throw kernelProblems.validationFailed({ errors });
}

function viewOf({ document, version }: SqlTransform): SqlTransformView {
  const { id, title, category, description, types, parameters, expression } = document;
  const schema = parameters ?? { type: 'object', properties: {}, additionalProperties: false };
  return { transform_id: id, version, title, category, description, types: [...types], parameters: schema, expression };
}
