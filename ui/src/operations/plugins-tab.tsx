import { Stack, Switch, Table, Text } from '@mantine/core';
import { listPlugins, type PluginView, setTenantPlugin } from '@weir/plugin-platform/contract';
import { useChange, useRead } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { Region } from '../parts/region.tsx';
import { usePerson } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';

/** The plugins that are loaded, and which of them the tenant has. */
export function PluginsTab() {
  const query = useRead(listPlugins);
  const set = useChange(setTenantPlugin);
  const { me, tenant } = usePerson();
  const change = (plugin_id: string, enabled: boolean) =>
    set.mutate({ params: { alias: tenant, plugin_id }, body: { enabled } });
  return (
    <Stack gap="sm">
      {set.error === null ? null : <FaultNote error={set.error} />}
      <Region query={query}>
        {({ items }) => (
          <LongTable
            label="Plugins"
            minWidth={680}
            head={
              <>
                <Table.Th>Plugin</Table.Th>
                <Table.Th className="one-line">{tenant} has it</Table.Th>
                <Table.Th ta="right">Routes</Table.Th>
                <Table.Th>What it lets people do</Table.Th>
              </>
            }
            rows={items}
            keyOf={(plugin) => plugin.plugin_id}
          >
            {(plugin) => (
              <PluginRow plugin={plugin} change={me.platform_admin ? change : undefined} isPending={set.isPending} />
            )}
          </LongTable>
        )}
      </Region>
    </Stack>
  );
}

interface PluginRowProps {
  plugin: PluginView;
  /** Absent for those who may not. */
  change: ((pluginId: string, enabled: boolean) => void) | undefined;
  isPending: boolean;
}

function PluginRow({ plugin, change, isPending }: PluginRowProps) {
  const { plugin_id: id, version, tenancy, enabled, permissions, routes } = plugin;
  return (
    <>
      <Table.Td>
        <Text size="sm" fw={560}>
          {id}
        </Text>
        <Text size="xs" c="dimmed">
          {version}
        </Text>
      </Table.Td>
      <Table.Td>
        {tenancy === 'always' ? (
          <Text size="sm" className="one-line">
            as every tenant
          </Text>
        ) : change === undefined ? (
          <Text size="sm">{enabled ? 'yes' : 'no; a platform admin can give it'}</Text>
        ) : (
          <Switch
            aria-label={`Give ${id} to the tenant`}
            checked={enabled}
            disabled={isPending}
            onChange={(event) => change(id, event.currentTarget.checked)}
          />
        )}
      </Table.Td>
      <Table.Td ta="right">{routes}</Table.Td>
      <Table.Td>
        <Text size="xs" className="mono-id">
          {permissions.length === 0 ? '–' : permissions.map(({ permission }) => permission).join(', ')}
        </Text>
      </Table.Td>
    </>
  );
}
