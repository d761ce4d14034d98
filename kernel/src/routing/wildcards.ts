import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/endpoint.ts';

/** What a path begins with. */
export const firstSegment = (path: string): string => path.split(/[/?]/)[1] ?? '';
const isRootWildcard = (path: string): boolean => /^\/\*\w+$/.test(path);

/** The paths of a route, as they arrive. */
export function pathPattern(path: string): RegExp {
  const literal = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/:\w+/g, '[^/]+').replace(/\*\w*$/, '.*')}$`);
}

/** Gives the rest of a path that a `*name` took its name. */
export function nameRest(request: FastifyRequest): void {
  const name = /\*(\w+)$/.exec(request.routeOptions.config.endpoint?.path ?? '')?.[1];
  if (name === undefined) return;
  const { '*': rest, ...params } = request.params as Record<string, string>;
  request.params = { ...params, [name]: rest };
}

/** Whether a path that met `/*name` belongs to others: below a first segment of theirs it answers nothing, as before. */
export function belongsToOthers(app: FastifyInstance, endpoint: Endpoint | undefined, path: string): boolean {
  if (endpoint?.mount !== 'root' || !isRootWildcard(endpoint.path)) return false;
  const { plugin } = app.declaredRoutes.find((route) => route.endpoint === endpoint) ?? {};
  const segment = firstSegment(path);
  return app.declaredRoutes.some((route) => route.plugin !== plugin && route.segment === segment);
}
