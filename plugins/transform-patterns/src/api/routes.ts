import { type AnyRoute, handle } from '@weir/kernel';
import { subjectOf } from '@weir/kernel/contract';
import * as endpoints from '../contract.ts';
import type { Packages } from '../service/catalog.ts';
import type { patternService } from '../service/patterns.ts';
import type { sqlTransformService } from '../service/sql-transforms.ts';
import { syncPackages } from '../service/sync.ts';

export interface PatternServices {
  packages: Packages;
  patterns: ReturnType<typeof patternService>;
  sqlTransforms: ReturnType<typeof sqlTransformService>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ packages, patterns, sqlTransforms }: PatternServices): AnyRoute[] {
  return [
    handle(endpoints.listTransformPatterns, ({ query }) => patterns.list(query)),
    handle(endpoints.listTransformPatternCategories, () => patterns.categories()),
    handle(endpoints.getTransformPattern, ({ params }) => patterns.get(params.pattern_id)),
    handle(endpoints.validateTransformPattern, ({ tenant, params, body, signal }) =>
      patterns.validate(tenant, { patternId: params.pattern_id, parameters: body.parameters, signal }),
    ),
    handle(endpoints.previewTransformPattern, ({ tenant, params, body }) =>
      patterns.preview(tenant, params.pattern_id, body),
    ),
    handle(endpoints.syncTransformPatterns, () => syncPackages(packages)),
    handle(endpoints.listSqlTransforms, ({ query }) => sqlTransforms.list(query)),
    handle(endpoints.listSqlTransformCategories, () => sqlTransforms.categories()),
    handle(endpoints.listSqlTransformsForType, ({ params, query }) => sqlTransforms.list(query, params.sql_type)),
    handle(endpoints.getSqlTransform, ({ params }) => sqlTransforms.get(params.transform_id)),
    handle(endpoints.applySqlTransform, ({ tenant, principal, params, body }) =>
      sqlTransforms.apply(tenant, subjectOf(principal), { id: params.transform_id, body }),
    ),
    handle(endpoints.syncSqlTransforms, () => syncPackages(packages)),
  ];
}
