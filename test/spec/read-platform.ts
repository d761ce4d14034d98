import { fullPath } from '@weir/kernel/contract';
import type { TestPlatform } from '../platform.ts';
import { readSources } from './read-sources.ts';
import type { Found } from './specification.ts';

/** What the booted platform and the sources below `root` have: routes, settings of every plugin and role, variables. */
export async function readPlatform({ api, platform }: TestPlatform, root: string): Promise<Found> {
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
  return { routes, variables: found, text };
}
