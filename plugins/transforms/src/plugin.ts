import { definePlugin } from '@weir/kernel';
import { routes } from './api/routes.ts';
import { transformProblems } from './contract.ts';
import { entities } from './model/entities.ts';
import { runKinds } from './model/run-kinds.ts';
import { contributions } from './service/contributions.ts';
import { transformServices } from './service/services.ts';
import { settings } from './settings.ts';

/** SQL transforms: one SELECT becomes a table. */
export default definePlugin({
  id: 'transforms',
  settings,
  entities,
  problems: transformProblems,
  setup(kernel) {
    const services = transformServices(kernel);
    return {
      routes: routes(services),
      runKinds,
      contributes: contributions(kernel),
      stop: () => services.selects.close(),
    };
  },
});
