import type { FastifyInstance } from 'fastify';
import type { HealthCheck } from '../contract/points.ts';
import { kernelProblems } from '../contract/problems.ts';
import { handle, type RouteDeps, registerRoutes } from '../http/handle.ts';
import { getHealth, getReady } from './kernel-endpoints.ts';

export interface KernelRouteOptions {
  release: { sha: string; imageDigest: string };
  checks: readonly HealthCheck[];
  isStopping(): boolean;
}

/** The unversioned routes that belong to no domain. */
export function registerKernelRoutes(app: FastifyInstance, options: KernelRouteOptions, deps: RouteDeps): void {
  const { release, checks } = options;
  registerRoutes(
    app,
    [
      handle(getHealth, async () => ({ release_sha: release.sha, image_digest: release.imageDigest })),
      handle(getReady, async () => {
        if (options.isStopping()) throw kernelProblems.shuttingDown();
        const states = await Promise.all(
          checks.map(async ({ name, degrades, check }) => [name, await check().catch(() => false), degrades] as const),
        );
        const parts = Object.fromEntries(states.map(([name, up]) => [name, up ? ('up' as const) : ('down' as const)]));
        if (states.some(([, up, degrades]) => !up && !degrades))
          throw kernelProblems.dependencyUnavailable({ members: { parts } });
        return { ready: true, parts };
      }),
    ],
    deps,
  );
}
