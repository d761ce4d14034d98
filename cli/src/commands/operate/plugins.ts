import { listPlugins, listTenantPlugins, setTenantPlugin } from '@weir/plugin-platform/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { exitCode } from '../../exit-codes.ts';

const CATEGORY = 'Operation';
const FOR = 'Alias of the tenant that gets or loses it; platform admins only';

/** The plugins, and whether the tenant has them. */
export class PluginsList extends WeirCommand {
  static override paths = [['plugins', 'list']];
  static override usage = Command.Usage({ category: CATEGORY, description: listPlugins.summary });

  target = Option.String('--for', { description: 'Alias of another tenant; platform admins only' });

  async execute(): Promise<number> {
    const api = await this.api();
    if (this.target === undefined) {
      const columns = ['plugin_id', 'version', 'tenancy', 'enabled', 'routes'];
      await this.show(await api.call(listPlugins, {}), { columns });
      return exitCode('ok');
    }
    const columns = ['plugin_id', 'version', 'tenancy', 'enabled', 'changed_by', 'changed_at'];
    await this.show(await api.call(listTenantPlugins, { params: { alias: this.target } }), { columns });
    return exitCode('ok');
  }
}

/** Gives a plugin to a tenant. */
export class PluginsEnable extends WeirCommand {
  static override paths = [['plugins', 'enable']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Give a plugin to a tenant',
    examples: [['Let one tenant use it', 'weir plugins enable weather --for acme']],
  });

  plugin = Option.String({ name: 'plugin_id' });
  target = Option.String('--for', { description: FOR, required: true });

  execute(): Promise<number> {
    return choose(this, { alias: this.target, plugin_id: this.plugin }, true);
  }
}

/** Takes a plugin away from a tenant; asks first. */
export class PluginsDisable extends WeirCommand {
  static override paths = [['plugins', 'disable']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Take a plugin away from a tenant',
    details: 'Its routes answer 403 for this tenant, and its queued work stops. Nothing is deleted.',
  });

  plugin = Option.String({ name: 'plugin_id' });
  target = Option.String('--for', { description: FOR, required: true });

  execute(): Promise<number> {
    return choose(this, { alias: this.target, plugin_id: this.plugin }, false);
  }
}

async function choose(
  command: WeirCommand,
  params: { alias: string; plugin_id: string },
  enabled: boolean,
): Promise<number> {
  const api = await command.api();
  const place = `${params.alias} at ${new URL(api.url).host}`;
  if (!enabled) await confirm(command, `Take the plugin ${params.plugin_id} away from ${place}`);
  const now = await api.call(setTenantPlugin, { params, body: { enabled } });
  command.note(`${params.plugin_id} is ${enabled ? 'on' : 'off'} for ${place}`);
  await command.show(now);
  return exitCode('ok');
}
