import type { RouteArea } from './rows.ts';

/** Health and platform, workflow engine, datasets. */
export const platformRoutes: readonly RouteArea[] = [
  {
    area: 'Health and platform',
    owner: 'kernel',
    routes: ['GET /health'],
  },
  {
    area: 'Health and platform',
    owner: 'platform',
    routes: ['GET /status', 'GET /services/health', 'GET /metrics'],
  },
  {
    area: 'Workflow starts',
    owner: 'workflow-engine',
    routes: [
      'POST /workflow-engine/workflows/schema-match',
      'POST /workflow-engine/workflows/transform',
      'POST /workflow-engine/workflows/pipeline',
    ],
  },
  {
    area: 'Workflow engine',
    owner: 'workflow-engine',
    routes: [
      'GET /workflow-engine/health',
      'GET /workflow-engine/health/detailed',
      'GET /workflow-engine/config',
      'GET /workflow-engine/metrics',
      'GET /workflow-engine/workers',
      'GET /workflow-engine/task-queues',
      'GET /workflow-engine/workflows/{workflow_id}',
      'POST /workflow-engine/workflows/{workflow_id}/cancel',
      'POST /workflow-engine/workflows/{workflow_id}/wait',
    ],
  },
  {
    area: 'Datasets',
    owner: 'datasets',
    routes: [
      'GET /datasets',
      'GET /datasets/{dataset_id}',
      'GET /datasets/{dataset_id}/preview',
      'GET /datasets/{dataset_id}/snapshots',
      'GET /table-format/tables',
      'GET /table-format/snapshots/{table}',
    ],
  },
];
