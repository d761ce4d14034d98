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
  validateSearch: texts('tab', 'q', 'run', 'level', 'search', 'show'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, sources, catalogue, load, create, source]),
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
