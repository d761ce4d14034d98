import { definePlugin } from '@weir/kernel';
import { routes } from './api/routes.ts';
import { transformProblems } from './contract.ts';
import { entities } from './model/entities.ts';
import { contributions } from './service/contributions.ts';
import { transformServices } from './service/services.ts';

/** SQL transforms: one SELECT becomes a table. */
export default definePlugin({
  id: 'transforms',
  entities,
  problems: transformProblems,
  setup(kernel) {
    const services = transformServices(kernel);
    return {
      routes: routes(services),
      contributes: contributions(kernel),
      stop: () => services.selects.close(),
    };
  },
});
