import { fullPath } from '@weir/kernel/contract';
import { commandPages } from '../docs/reference/commands.ts';
import type { TestPlatform } from '../platform.ts';
import { readSources } from './read-sources.ts';
import type { Found } from './specification.ts';

/** What the booted platform and the sources below `root` have: routes, settings of every plugin and role, variables. */
export async function readPlatform(world: TestPlatform, root: string): Promise<Found> {
  const { api, platform } = world;
  const { variables, templates, text } = await readSources(root);
  const found = new Map<string, Set<string>>(variables);
  const add = (name: string, folder: string) => found.set(name, (found.get(name) ?? new Set()).add(folder));
  for (const { plugin, manifest } of platform.plugins) {
    const folder = `plugins/${manifest.id}`;
    for (const name of Object.keys(plugin.spec.settings?.properties ?? {})) add(name, folder);
    for (const { role } of manifest.workers ?? []) {
      const prefix = `WORKFLOW_${role.toUpperCase().replaceAll('-', '_')}`;
      for (const [template, folders] of templates) {
        const name = template.replace(/^(WORKFLOW_\$\{role[^}]*\}|\$\{prefix\})/, prefix);
        if (name !== prefix) for (const reader of folders) add(name, reader);
      }
    }
  }
  const routes = api.app.declaredRoutes.map(({ method, endpoint, plugin }) => {
    const path = fullPath(endpoint)
      .replace(/^\/api\/v1/, '')
      .replace(/:(\w+)/g, '{$1}');
    return { route: `${method} ${path}`, plugin };
  });
  const commands = new Set(commandPages().map(({ words }) => words));
  return { routes, unconfigured: await unconfiguredRoutes(world), commands, variables: found, text };
}

/** The routes without path parameters that say by 501 that no plugin brings their feature. */
async function unconfiguredRoutes({ api, token }: TestPlatform): Promise<Set<string>> {
  const found = new Set<string>();
  const headers = { authorization: `Bearer ${await token('acme')}`, 'x-tenant-id': 'acme' };
  for (const { method, endpoint } of api.app.declaredRoutes) {
    const path = fullPath(endpoint);
    const mayLack = (endpoint.errors ?? []).some(({ entry }) => entry.code === 'feature_not_configured');
    if (!mayLack || path.includes(':')) continue;
    const body = { method, headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
    const { status } = await fetch(new URL(path, api.url), method === 'GET' ? { headers } : body);
    if (status === 501) found.add(`${method} ${path.replace(/^\/api\/v1/, '')}`);
  }
  return found;
}
