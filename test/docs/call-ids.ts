import { furnishTenant, idsAt, MEANT } from '../deployed-examples.ts';
import { apiOf } from '../examples.ts';
import type { DevPlatform } from './dev-platform.ts';

/** What the calls of the API reference name in their paths: the values of the `$names` of one line. */
export async function callIds(platform: DevPlatform): Promise<(line: string) => Record<string, string>> {
  const caller = await platform.client();
  const ids = await furnishTenant({ ...caller, api: apiOf(caller), isVaulted: false });
  const asShell = (label: string) => label.replace(/^\w+ /, '').replace(/\{(\w+)\}/g, '$$$1');
  return (line) => {
    const meant = MEANT.find(({ of }) => of.startsWith('GET ') && line.includes(`${asShell(of)}"`));
    return { ...(meant === undefined ? ids : idsAt(meant.of, ids)) };
  };
}
