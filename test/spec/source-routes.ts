import type { RouteArea } from './rows.ts';

/** Sources with their credentials, schedules and patterns. */
export const sourceRoutes: readonly RouteArea[] = [
  {
    area: 'Sources',
    owner: 'sources',
    routes: [
      'POST /sources/discover',
      'GET /sources/discover/status/{workflow_id}',
      'GET /sources',
      'POST /sources',
      'GET /sources/{source_id}',
      'PATCH /sources/{source_id}',
      'DELETE /sources/{source_id}',
      'POST /sources/{source_id}/sync',
      'GET /sources/{source_id}/sync/status',
      'GET /sources/{source_id}/streams',
      'POST /sources/{source_id}/streams',
      'PATCH /sources/{source_id}/streams/{stream_id}',
      'DELETE /sources/{source_id}/streams/{stream_id}',
      'POST /sources/{source_id}/streams/bulk',
      'POST /sources/{source_id}/streams/refresh-schema',
      'GET /sources/{source_id}/sync-history',
      'GET /sources/{source_id}/sync-history/stats',
      'GET /sources/{source_id}/table-format-refs',
      'GET /sources/{source_id}/runs/{run_id}/logs',
      'GET /sources/{source_id}/runs/{run_id}/logs/download',
      'GET /sources/sync-runs/{sync_run_id}/streams',
      'GET /sources/sync-runs/{workflow_id}/details',
    ],
  },
  {
    area: 'Source credentials',
    owner: 'sources',
    routes: [
      'GET /sources/{source_id}/credentials',
      'POST /sources/{source_id}/credentials',
      'PUT /sources/{source_id}/credentials',
      'DELETE /sources/{source_id}/credentials',
      'POST /sources/{source_id}/credentials/migrate',
      'POST /sources/credentials/{credential_ref}/revoke',
    ],
  },
  {
    area: 'Source schedules',
    owner: 'sources',
    routes: [
      'GET /sources/{source_id}/schedule',
      'PUT /sources/{source_id}/schedule',
      'DELETE /sources/{source_id}/schedule',
      'POST /sources/{source_id}/schedule/pause',
      'POST /sources/{source_id}/schedule/resume',
      'POST /sources/{source_id}/schedule/trigger',
      'GET /schedules',
    ],
  },
  {
    area: 'Source patterns',
    owner: 'sources',
    routes: [
      'GET /patterns/discover',
      'GET /patterns/{pattern_id}',
      'POST /patterns/register',
      'POST /patterns/reconcile',
    ],
  },
];
