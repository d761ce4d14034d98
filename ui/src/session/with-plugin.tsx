import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listPlugins } from '@weir/plugin-platform/contract';
import type { ReactNode } from 'react';
import { useRead } from '../api/queries.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Region } from '../parts/region.tsx';
import { usePerson } from './person.ts';

/** Whether the tenant has an opt-in plugin; undefined while that is not known. */
export function useHasPlugin(): (plugin: string) => boolean | undefined {
  const { data } = useRead(listPlugins);
  return (plugin) => data?.items.some(({ plugin_id: id, enabled }) => id === plugin && enabled);
}

interface WithPluginProps {
  plugin: string;
  title: string;
  /** What the pages are for, as a sentence. */
  purpose: string;
  children: ReactNode;
}

/** Pages of an opt-in plugin; for a tenant without it what they are for, and how to get it. */
export function WithPlugin({ plugin, title, purpose, children }: WithPluginProps) {
  const query = useRead(listPlugins);
  const { me, tenant } = usePerson();
  const hasPlugin = useHasPlugin();
  if (hasPlugin(plugin)) return children;
  const how = me.platform_admin ? 'Switch it on in the list of plugins.' : 'A platform admin switches it on.';
  return (
    <>
      <PageHead title={title} />
      <Region query={query}>
        {() => (
          <Empty
            words={`${purpose} ${tenant} does not have the plugin ${plugin}. ${how}`}
            action={
              <Anchor renderRoot={(props) => <Link to="/operations" search={{ tab: 'plugins' }} {...props} />}>
                Plugins of {tenant}
              </Anchor>
            }
          />
        )}
      </Region>
    </>
  );
}
