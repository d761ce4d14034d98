import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../contract/endpoint.ts';
import type { HealthCheck } from '../contract/points.ts';
import type { ProblemEntry } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import { DOCS_POLICY, endpointsPage, errorPage } from './docs-page.ts';
import { handle, type RouteDeps, registerRoutes } from './handle.ts';
import { getDocs, getErrorDoc, getHealth, getOpenapi, getReady } from './kernel-endpoints.ts';
import { openapi } from './openapi.ts';

export interface KernelRouteOptions {
  release: { sha: string; imageDigest: string };
  version: string;
  checks: readonly HealthCheck[];
  problems: ReadonlyMap<string, ProblemEntry>;
  isStopping(): boolean;
}

/** The unversioned routes that belong to no domain. Registered last, so that the documents know every route. */
export function registerKernelRoutes(app: FastifyInstance, options: KernelRouteOptions, deps: RouteDeps): void {
  const { release, checks, problems } = options;
  registerRoutes(
    app,
    [
      handle(getHealth, async () => ({ release_sha: release.sha, image_digest: release.imageDigest })),
      handle(getReady, async () => {
        if (options.isStopping()) throw kernelProblems.shuttingDown();
        const states = await Promise.all(
          checks.map(async ({ name, check }) => [name, await check().catch(() => false)] as const),
        );
        const parts = Object.fromEntries(states.map(([name, up]) => [name, up ? ('up' as const) : ('down' as const)]));
        if (states.some(([, up]) => !up)) throw kernelProblems.dependencyUnavailable({ members: { parts } });
        return { ready: true, parts };
      }),
    ],
    deps,
  );
  const page = (endpoint: Endpoint, type: string, render: (code: string) => string) =>
    app.route({
      method: 'GET',
      url: endpoint.path,
      schema: endpoint.params === undefined ? {} : { params: endpoint.params },
      config: { endpoint, plugin: 'kernel' },
      onRequest: deps.authenticate(endpoint.access),
      handler: async (request, reply) => {
        const body = render((request.params as { code?: string }).code ?? '');
        return reply.type(type).header('content-security-policy', DOCS_POLICY).send(body);
      },
    });
  const endpoints = () => app.declaredRoutes.map((route) => route.endpoint);
  page(getOpenapi, 'application/json', () => JSON.stringify(openapi(endpoints(), options.version)));
  page(getDocs, 'text/html; charset=utf-8', () => endpointsPage(endpoints()));
  page(getErrorDoc, 'text/html; charset=utf-8', (code) => {
    const entry = problems.get(code);
    if (entry === undefined) throw kernelProblems.notFound();
    return errorPage(entry);
  });
}
