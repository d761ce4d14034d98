import { listTenantPlugins, setTenantPlugin } from '@weir/plugin-platform/contract';
import { CliError } from '../../cli-error.ts';
import type { Api } from '../../connection/api.ts';
import type { Reporter } from './reporter.ts';

/** Opt-in plugins of this repository that tenants of development have. */
const PLUGINS: readonly string[] = ['schema-registry', 'ontology', 'ai'];

/** Gives the tenants these plugins once; whoever takes one away later keeps it away. */
export async function givePlugins(api: Api, tenants: readonly string[], report: Reporter): Promise<void> {
  try {
    for (const alias of tenants) {
      const { items } = await api.call(listTenantPlugins, { params: { alias } });
      const wanted = items.filter(({ plugin_id: id, changed_at: at }) => PLUGINS.includes(id) && at === null);
      for (const { plugin_id } of wanted)
        await api.call(setTenantPlugin, { params: { alias, plugin_id }, body: { enabled: true } });
    }
  } catch (error) {
    // A token of another identity provider may be of no platform admin.
    if (!(error instanceof CliError) || error.exit === 'interrupted') throw error;
    report.line(`  plugins not enabled: ${PLUGINS.join(', ')}; a platform admin enables them`);
  }
}
