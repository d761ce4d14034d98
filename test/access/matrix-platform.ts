import { fileURLToPath } from 'node:url';
import { contribute } from '@weir/kernel';
import type { Access, KnownPrincipal, Role, TenantRole } from '@weir/kernel/contract';
import { TokenReaders } from '@weir/kernel/contract';
import type { Teardown } from '@weir/kernel/testing';
import { keyFile } from '../key-file.ts';
import { type TestPlatform, testPlatform } from '../platform.ts';
import type { TestMount } from '../secret-mount.ts';
import { clientSettings } from './callers.ts';

/** A route as the platform's own OpenAPI document declares it. */
export interface MatrixRoute {
  /** `METHOD /path/{id}` */
  label: string;
  method: string;
  path: string;
  /** Names of its path parameters. */
  names: readonly string[];
  access: Access;
  takesBody: boolean;
}

export interface MatrixPlatform {
  world: TestPlatform;
  routes: readonly MatrixRoute[];
  capabilities: readonly string[];
  tokenOf(role: Role): Promise<string>;
  /** Where credentials lie; undefined when they stay in the database. */
  mount: TestMount | undefined;
}

/** How a platform of the matrix differs from the one that is deployed. */
export interface MatrixOptions {
  folder: string;
  /** Goes on top of its environment. */
  more: Record<string, string>;
  /** A secret store keeps credentials, and the pattern `vaulted` asks for some. */
  mount?: TestMount;
}

/** The deployment with the pattern `vaulted` beside its own. */
export const VAULTED_PLATFORM = fileURLToPath(new URL('../fixtures/platform-vaulted.json', import.meta.url));
/** How the API tokens of these tests begin. */
const PREFIX = 'matrix_';
const HOUR_MS = 3_600_000;

/** The platform as it is deployed. It knows clients with every capability that a route asks for, and API tokens of every role. */
export async function matrixPlatform(t: Teardown, { folder, more, mount }: MatrixOptions): Promise<MatrixPlatform> {
  const vaulted = mount && { ...mount.environment('api'), WEIR_PLATFORM: VAULTED_PLATFORM };
  const asked = new Set<string>();
  // Webhooks are kept sealed, at addresses on loopback.
  const own = { WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_CREDENTIAL_KEY_FILE: keyFile(folder) };
  const world = await testPlatform(t, folder, { ...own, ...more, ...vaulted }, (platform) => {
    for (const { registration } of platform.plugins)
      for (const { endpoint } of registration.routes)
        if ('capability' in endpoint.access && endpoint.access.capability !== undefined)
          asked.add(endpoint.access.capability);
    platform.contributions.add([contribute(TokenReaders, { prefix: PREFIX, read: readToken })]);
    return { ...platform, settings: { ...platform.settings, ...clientSettings([...asked]) } };
  });
  const tokenOf = async (role: Role) => `${PREFIX}${role}`;
  return { world, routes: await declaredRoutes(world), capabilities: [...asked], tokenOf, mount };
}

async function readToken(token: string): Promise<{ principal: KnownPrincipal; expiresAt: Date }> {
  const role = token.slice(PREFIX.length) as TenantRole;
  const client = `api-token:${role}`;
  const principal: KnownPrincipal = { kind: 'api_token', subject: 'admin@acme', client, organizations: ['acme'], role };
  return { principal, expiresAt: new Date(Date.now() + HOUR_MS) };
}

interface Operation {
  'x-access': Access;
  requestBody?: object;
}

/** Reads first, then what changes things, then what removes them, so that things are there for as long as they are asked for. */
async function declaredRoutes({ api }: TestPlatform): Promise<MatrixRoute[]> {
  const answer = await fetch(new URL('/openapi.json', api.url));
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): MatrixRoute => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const takesBody = operation.requestBody !== undefined;
      const label = `${method.toUpperCase()} ${path}`;
      return { label, method: method.toUpperCase(), path, names, access: operation['x-access'], takesBody };
    }),
  );
  const rank = ({ method }: MatrixRoute) => (method === 'GET' ? 0 : method === 'DELETE' ? 2 : 1);
  return routes.toSorted((a, b) => rank(a) - rank(b));
}
