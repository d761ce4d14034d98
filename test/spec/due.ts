import type { Route } from './rows.ts';

/** Areas of which every route must be there. */
export const dueAreas: readonly string[] = [
  'Health and platform',
  'Sources',
  'Source credentials',
  'Source schedules',
  'Source patterns',
  'Datasets',
  'Workflow engine',
  'Identity policies and users',
];

/** Routes of those areas that come with later floors: run logs. */
export const laterRoutes: ReadonlySet<Route> = new Set([
  'GET /sources/{source_id}/runs/{run_id}/logs',
  'GET /sources/{source_id}/runs/{run_id}/logs/download',
]);
