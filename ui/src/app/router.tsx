import { Button } from '@mantine/core';
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { FaultNote } from '../parts/fault-note.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty } from '../parts/region.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken });

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
/** Search parameters that are texts; an empty one is left out of the address. */
const texts =
  <const N extends string>(...names: N[]) =>
  (search: Record<string, unknown>): { [K in N]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => (text(search[name]) === undefined ? [] : [[name, text(search[name])]])),
    ) as {
      [K in N]?: string;
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
  validateSearch: texts('q', 'status', 'schedule'),
});
const catalogue = createRoute({
  getParentRoute: () => root,
  path: '/sources/new',
  component: lazyRouteComponent(() => import('../sources/create/catalogue-page.tsx'), 'CataloguePage'),
  validateSearch: texts('q'),
});
const load = createRoute({
  getParentRoute: () => root,
  path: '/sources/load',
  component: lazyRouteComponent(() => import('../sources/load/load-page.tsx'), 'LoadPage'),
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
  validateSearch: texts('tab', 'q', 'run', 'level', 'search', 'line', 'show'),
});

const datasets = createRoute({
  getParentRoute: () => root,
  path: '/datasets',
  component: lazyRouteComponent(() => import('../datasets/datasets-page.tsx'), 'DatasetsPage'),
  validateSearch: texts('q', 'namespace'),
});
const dataset = createRoute({
  getParentRoute: () => root,
  path: '/datasets/$datasetId',
  component: lazyRouteComponent(() => import('../datasets/dataset-page.tsx'), 'DatasetPage'),
  validateSearch: texts(
    ...(['tab', 'snapshot', 'compare', 'columns', 'filter', 'order', 'reason', 'depth'] as const),
    ...(['chart', 'x', 'y', 'how', 'kind'] as const),
  ),
});
const query = createRoute({
  getParentRoute: () => root,
  path: '/query',
  component: lazyRouteComponent(() => import('../query/query-page.tsx'), 'QueryPage'),
  validateSearch: texts('show', 'limit', 'x', 'y', 'how', 'kind'),
});
const transforms = createRoute({
  getParentRoute: () => root,
  path: '/transforms',
  component: lazyRouteComponent(() => import('../transforms/transforms-page.tsx'), 'TransformsPage'),
  validateSearch: texts('q', 'archived'),
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
  validateSearch: texts('q', 'category'),
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
  validateSearch: texts('tab', 'column'),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  component: lazyRouteComponent(() => import('../runs/runs-page.tsx'), 'RunsPage'),
  validateSearch: texts('status', 'kind', 'since', 'subject'),
});
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('../runs/run-page.tsx'), 'RunPage'),
  validateSearch: texts('level', 'search', 'line'),
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
  validateSearch: texts('tab', 'actor', 'action', 'object', 'result', 'from', 'to', 'webhook', 'policy', 'show'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    ...([home, sources, catalogue, load, create, source, datasets, dataset, query] as const),
    ...([transforms, newTransform, patterns, pattern, transform, runs, run, operations, pluginPage] as const),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return (
    <>
      <PageHead title="No such page" />
      <Empty
        words="The address names no page."
        action={
          <Button component="a" href="/">
            Go to the home page
          </Button>
        }
      />
    </>
  );
}

function Broken({ error, reset }: ErrorComponentProps) {
  return <FaultNote error={error instanceof Error ? error : new Error(String(error))} retry={reset} />;
}
