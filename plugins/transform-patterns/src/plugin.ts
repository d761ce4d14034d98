import { contribute, definePlugin, Platform } from '@weir/kernel';
import { Definitions, PatternMakers, statementProblems, transformProblems } from '@weir/plugin-transforms/contract';
import { routes } from './api/routes.ts';
import { transformPackages } from './service/catalog.ts';
import { patternMaker, patternService } from './service/patterns.ts';
import { sqlTransformService } from './service/sql-transforms.ts';
import { settings } from './settings.ts';

/** The gallery: transform patterns and SQL transforms of packages. */
export default definePlugin({
  id: 'transform-patterns',
  settings,
  problems: { ...transformProblems, ...statementProblems },
  setup(kernel) {
    const { sql } = kernel.use(Platform);
    const packages = transformPackages(String(kernel.settings.WEIR_PLATFORM), { sql, log: kernel.log });
    const deps = { packages, definitions: kernel.use(Definitions) };
    return {
      routes: routes({ packages, patterns: patternService(deps), sqlTransforms: sqlTransformService(deps) }),
      contributes: [contribute(PatternMakers, patternMaker(packages))],
      start: async () => {
        await packages.current();
      },
    };
  },
});
