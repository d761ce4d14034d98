import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { RunStatus } from '@weir/kernel/contract';
import type { AuditResult, RunLogLevel } from '@weir/plugin-platform/contract';
import type { SourceStatus } from '@weir/plugin-sources/contract';
import type { ChartHow } from '../grid/chart-points.ts';
import { LatePage, PATIENCE_MS } from '../parts/region.tsx';
import { KIND_WORDS } from '../runs/run-kinds.ts';
import {
  conditions,
  instant,
  longText,
  oneOf,
  params,
  parseSearch,
  position,
  snapshotId,
  snapshotIds,
  sortBy,
  stringifySearch,
  text,
  uuid,
  uuidOrNew,
  version,
  versionOrDraft,
} from './search.ts';
import { Broken, NotFound, Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken });

/** What an address says of a log: `all` for every level where fewer would show. */
const ofLog = {
  level: oneOf<RunLogLevel | 'all'>('all', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'),
  search: text,
  line: position,
};
const ofChart = { x: text, y: text, how: oneOf<ChartHow>('sum', 'average', 'count'), kind: oneOf('bar', 'line') };

const ofLineage = {
  depth: oneOf('1', '2', '3', '5', '10'),
  direction: oneOf('both', 'upstream', 'downstream'),
  column: text,
};

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../home/home-page.tsx'), 'HomePage'),
});
const sources = createRoute({
  getParentRoute: () => root,
  path: '/sources',
  component: lazyRouteComponent(() => import('../sources/list/sources-page.tsx'), 'SourcesPage'),
  validateSearch: params({
    q: text,
    status: oneOf<SourceStatus>('draft', 'discovering', 'ready', 'active'),
    schedule: oneOf('active', 'paused', 'none'),
    sort: sortBy('name', 'status', 'streams', 'last', 'next'),
  }),
});
const catalogue = createRoute({
  getParentRoute: () => root,
  path: '/sources/new',
  component: lazyRouteComponent(() => import('../sources/create/catalogue-page.tsx'), 'CataloguePage'),
  validateSearch: params({ q: text }),
});
const add = createRoute({
  getParentRoute: () => root,
  path: '/sources/add',
  component: lazyRouteComponent(() => import('../sources/add/add-page.tsx'), 'AddPage'),
  validateSearch: params({ run: uuid }),
});
const load = createRoute({
  getParentRoute: () => root,
  path: '/sources/load',
  component: lazyRouteComponent(() => import('../sources/load/load-page.tsx'), 'LoadPage'),
  validateSearch: params({
    upload: uuid,
    looked: uuid,
    source: uuid,
    run: uuid,
    tables: oneOf('one', 'each'),
    streams: longText,
    unsent: longText,
  }),
});
const create = createRoute({
  getParentRoute: () => root,
  path: '/sources/new/$patternId',
  component: lazyRouteComponent(() => import('../sources/create/create-page.tsx'), 'CreatePage'),
});
const source = createRoute({
  getParentRoute: () => root,
  path: '/sources/$sourceId',
  component: lazyRouteComponent(() => import('../sources/detail/source-page.tsx'), 'SourcePage'),
  validateSearch: params({
    tab: oneOf('sync', 'streams', 'history', 'schedule', 'configuration', 'credentials'),
    q: text,
    run: uuid,
    show: oneOf('log', 'receipt', 'attention', 'cursor', 'edit'),
    stream: uuid,
    field: text,
    ...ofLog,
  }),
});

const datasets = createRoute({
  getParentRoute: () => root,
  path: '/datasets',
  component: lazyRouteComponent(() => import('../datasets/datasets-page.tsx'), 'DatasetsPage'),
  validateSearch: params({
    q: text,
    namespace: text,
    sort: sortBy('table', 'layer', 'rows', 'size', 'columns', 'commit'),
  }),
});
const dataset = createRoute({
  getParentRoute: () => root,
  path: '/datasets/$datasetId',
  component: lazyRouteComponent(() => import('../datasets/dataset-page.tsx'), 'DatasetPage'),
  validateSearch: params({
    tab: oneOf('preview', 'schema', 'snapshots', 'lineage', 'health', 'quarantine', 'used', 'elsewhere'),
    snapshot: snapshotId,
    compare: snapshotIds,
    columns: text,
    filter: conditions,
    order: text,
    reason: text,
    ...ofLineage,
    chart: oneOf('on'),
    ...ofChart,
  }),
});
const query = createRoute({
  getParentRoute: () => root,
  path: '/query',
  component: lazyRouteComponent(() => import('../query/query-page.tsx'), 'QueryPage'),
  validateSearch: params({ show: oneOf('rows', 'chart', 'history'), limit: position, ...ofChart }),
});
const transforms = createRoute({
  getParentRoute: () => root,
  path: '/transforms',
  component: lazyRouteComponent(() => import('../transforms/transforms-page.tsx'), 'TransformsPage'),
  validateSearch: params({ q: text, archived: oneOf('yes'), sort: sortBy('name', 'output', 'last', 'rows') }),
});
const newTransform = createRoute({
  getParentRoute: () => root,
  path: '/transforms/new',
  component: lazyRouteComponent(() => import('../transforms/definition/new-transform-page.tsx'), 'NewTransformPage'),
});
const patterns = createRoute({
  getParentRoute: () => root,
  path: '/transforms/patterns',
  component: lazyRouteComponent(() => import('../patterns/patterns-page.tsx'), 'PatternsPage'),
  validateSearch: params({ q: text, category: text }),
});
const pattern = createRoute({
  getParentRoute: () => root,
  path: '/transforms/patterns/$patternId',
  component: lazyRouteComponent(() => import('../patterns/pattern-page.tsx'), 'PatternPage'),
});
const transform = createRoute({
  getParentRoute: () => root,
  path: '/transforms/$transformId',
  component: lazyRouteComponent(() => import('../transforms/transform-page.tsx'), 'TransformPage'),
  validateSearch: params({
    tab: oneOf('overview', 'definition', 'checks', 'runs', 'versions', 'schedule', 'lineage'),
    column: text,
    version: versionOrDraft,
    against: versionOrDraft,
  }),
});
const pipelines = createRoute({
  getParentRoute: () => root,
  path: '/pipelines',
  component: lazyRouteComponent(() => import('../pipelines/pipelines-page.tsx'), 'PipelinesPage'),
  validateSearch: params({ q: text, sort: sortBy('name', 'state', 'steps', 'last', 'next') }),
});
const newPipeline = createRoute({
  getParentRoute: () => root,
  path: '/pipelines/new',
  component: lazyRouteComponent(() => import('../pipelines/new-pipeline-page.tsx'), 'NewPipelinePage'),
});
const pipeline = createRoute({
  getParentRoute: () => root,
  path: '/pipelines/$pipelineId',
  component: lazyRouteComponent(() => import('../pipelines/pipeline-page.tsx'), 'PipelinePage'),
  validateSearch: params({ tab: oneOf('steps', 'runs', 'versions', 'schedule'), version }),
});
const lineage = createRoute({
  getParentRoute: () => root,
  path: '/lineage',
  component: lazyRouteComponent(() => import('../lineage/lineage-page.tsx'), 'LineagePage'),
  validateSearch: params({
    dataset: text,
    trouble: oneOf('yes'),
    ...ofLineage,
  }),
});
const schemas = createRoute({
  getParentRoute: () => root,
  path: '/schemas',
  component: lazyRouteComponent(() => import('../schemas/schemas-page.tsx'), 'SchemasPage'),
  validateSearch: params({
    tab: oneOf('registry', 'models'),
    q: text,
    status: oneOf('draft', 'active', 'deprecated'),
    library: text,
    domain: text,
  }),
});
const model = createRoute({
  getParentRoute: () => root,
  path: '/schemas/models/$fullId',
  component: lazyRouteComponent(() => import('../schemas/model-page.tsx'), 'ModelPage'),
  validateSearch: params({ members: text }),
});
const subject = createRoute({
  getParentRoute: () => root,
  path: '/schemas/subjects/$subject',
  component: lazyRouteComponent(() => import('../schemas/subject-page.tsx'), 'SubjectPage'),
  validateSearch: params({ version: position, against: position, members: text }),
});
const register = createRoute({
  getParentRoute: () => root,
  path: '/schemas/register',
  component: lazyRouteComponent(() => import('../schemas/register-page.tsx'), 'RegisterPage'),
  validateSearch: params({ subject: text, model: text }),
});
const check = createRoute({
  getParentRoute: () => root,
  path: '/schemas/check',
  component: lazyRouteComponent(() => import('../schemas/check/check-page.tsx'), 'CheckPage'),
  validateSearch: params({ dataset: text, subject: text, model: text }),
});
const entityTypes = createRoute({
  getParentRoute: () => root,
  path: '/ontology',
  component: lazyRouteComponent(() => import('../ontology/list/entity-types-page.tsx'), 'EntityTypesPage'),
  validateSearch: params({
    tab: oneOf('list', 'graph', 'backing', 'route'),
    q: text,
    status: oneOf('draft', 'active', 'deprecated', 'retired'),
    around: text,
    steps: oneOf('1', '2', '3'),
  }),
});
const newEntityType = createRoute({
  getParentRoute: () => root,
  path: '/ontology/create',
  component: lazyRouteComponent(() => import('../ontology/document/create-page.tsx'), 'CreatePage'),
});
const entityType = createRoute({
  getParentRoute: () => root,
  path: '/ontology/types/$code',
  component: lazyRouteComponent(() => import('../ontology/type/type-page.tsx'), 'TypePage'),
  validateSearch: params({
    tab: oneOf('properties', 'relationships', 'entities', 'filled', 'versions', 'document'),
    q: text,
    version,
    against: version,
    filter: longText,
  }),
});
const newTypeVersion = createRoute({
  getParentRoute: () => root,
  path: '/ontology/types/$code/version',
  component: lazyRouteComponent(() => import('../ontology/document/version-page.tsx'), 'VersionPage'),
});
const entity = createRoute({
  getParentRoute: () => root,
  path: '/ontology/types/$code/entity',
  component: lazyRouteComponent(() => import('../ontology/entities/entity-page.tsx'), 'EntityPage'),
  validateSearch: params({ key: longText }),
});
const newBacking = createRoute({
  getParentRoute: () => root,
  path: '/ontology/backing/create',
  component: lazyRouteComponent(() => import('../ontology/mapping/create-backing-page.tsx'), 'CreateBackingPage'),
  validateSearch: params({ type: text, dataset: text }),
});
const changeBacking = createRoute({
  getParentRoute: () => root,
  path: '/ontology/backing/$backingId/mapping',
  component: lazyRouteComponent(() => import('../ontology/mapping/change-backing-page.tsx'), 'ChangeBackingPage'),
  validateSearch: params({ version }),
});
const backing = createRoute({
  getParentRoute: () => root,
  path: '/ontology/backing/$backingId',
  component: lazyRouteComponent(() => import('../ontology/backing/backing-page.tsx'), 'BackingPage'),
  validateSearch: params({ tab: oneOf('overview', 'history', 'health') }),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  component: lazyRouteComponent(() => import('../runs/runs-page.tsx'), 'RunsPage'),
  validateSearch: params({
    status: oneOf<RunStatus>('pending', 'running', 'succeeded', 'failed', 'cancelled', 'skipped'),
    kind: oneOf(...Object.keys(KIND_WORDS)),
    since: oneOf('all', '1h', '24h', '7d'),
    subject: uuid,
  }),
});
const compareRuns = createRoute({
  getParentRoute: () => root,
  path: '/runs/compare',
  component: lazyRouteComponent(() => import('../runs/compare/compare-page.tsx'), 'ComparePage'),
  validateSearch: params({ one: uuid, other: uuid, all: oneOf('yes') }),
});
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('../runs/run-page.tsx'), 'RunPage'),
  validateSearch: params(ofLog),
});
const pluginPage = createRoute({
  getParentRoute: () => root,
  path: '/pages/$plugin/$name',
  component: lazyRouteComponent(() => import('../plugin-pages/plugin-page.tsx'), 'PluginPage'),
});
const operations = createRoute({
  getParentRoute: () => root,
  path: '/operations',
  component: lazyRouteComponent(() => import('../operations/operations-page.tsx'), 'OperationsPage'),
  validateSearch: params({
    tab: oneOf('health', 'audit', 'webhooks', 'tokens', 'users', 'policies', 'plugins', 'limits', 'tenants'),
    actor: text,
    action: text,
    object: text,
    result: oneOf<AuditResult>('done', 'denied', 'refused', 'failed', 'unknown'),
    from: instant,
    to: instant,
    webhook: uuid,
    policy: uuidOrNew,
    show: oneOf('edit'),
  }),
});

export const router = createRouter({
  routeTree: root.addChildren([
    ...([home, sources, catalogue, add, load, create, source, datasets, dataset, query] as const),
    ...([
      transforms,
      newTransform,
      patterns,
      pattern,
      transform,
      runs,
      compareRuns,
      run,
      operations,
      pluginPage,
    ] as const),
    ...([pipelines, newPipeline, pipeline, lineage] as const),
    ...([schemas, model, subject, register, check] as const),
    ...([entityTypes, newEntityType, entityType, newTypeVersion, entity, newBacking, changeBacking, backing] as const),
  ]),
  defaultPreload: 'intent',
  defaultPendingComponent: LatePage,
  defaultPendingMs: PATIENCE_MS,
  defaultPendingMinMs: 0,
  parseSearch,
  stringifySearch,
  // A link keeps only what the route of the page knows.
  search: { strict: true },
  scrollRestoration: true,
});

// What the router leaves out of an address that somebody wrote is not shown either.
router.subscribe('onResolved', ({ toLocation: { searchStr, href } }) => {
  if (location.search !== searchStr) history.replaceState(history.state, '', href);
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
