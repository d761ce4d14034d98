import { useMantineColorScheme } from '@mantine/core';
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { createSource } from '@weir/plugin-sources/contract';
import { createTransform } from '@weir/plugin-transforms/contract';
import { FileUp, Plus, Search } from 'lucide-react';
import { useEffect } from 'react';
import { useOwnPages } from '../keys/own-pages.ts';
import { useSeenTabs } from '../operations/operations-tabs.ts';
import { usePages } from '../plugin-pages/use-pages.ts';
import { useMay } from '../session/person.ts';
import { useRecent } from './recent.ts';
import { useThings } from './use-things.ts';

/** Beyond these, another letter is the quicker way. */
const MAX_SHOWN = 20;
const [store, spotlight] = createSpotlight();
const PLUS = <Plus size={16} aria-hidden />;

/** Pages, actions, and what the tenant has, by name. Loaded when it is first wanted, and open then. */
export function Palette({ asked }: { asked: number }) {
  const pages = usePageActions();
  const actions = useStartActions();
  const things = useThings(asked > 0);
  const { pathname } = useLocation();
  const recent = useRecent().filter((address) => address !== pathname);
  useEffect(() => {
    if (asked > 0) spotlight.open();
  }, [asked]);
  const byAddress = new Map(things.flatMap(({ actions: some }) => some.map((one) => [one.id, one])));
  useFirstChosen(byAddress.size);
  const seen = recent.flatMap((address) => byAddress.get(address) ?? []);
  return (
    <Spotlight
      store={store}
      shortcut={null}
      actions={[
        { group: 'Seen last', actions: seen.map((one) => ({ ...one, id: `seen ${one.id}` })) },
        { group: 'Pages', actions: pages },
        { group: 'Actions', actions },
        ...things,
      ]}
      limit={MAX_SHOWN}
      attributes={{ content: { 'aria-label': 'Find' } }}
      styles={{ actionDescription: { opacity: 1 } }}
      scrollable
      nothingFound="Nothing has this name"
      searchProps={{
        'aria-label': 'Find',
        placeholder: 'A page, an action, a table, a transform, a source or a run',
        leftSection: <Search size={18} aria-hidden />,
      }}
    />
  );
}

/** Chooses the first that fits the words once it has been read: the library does so at each letter alone. */
function useFirstChosen(read: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read since may be the first that fits
  useEffect(() => {
    const { opened, query, listId } = store.getState();
    const list = opened && query !== '' ? document.getElementById(listId) : null;
    if (list === null || list.querySelector('[data-selected]') !== null) return;
    list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
    store.updateState((state) => ({ ...state, selected: 0 }));
  }, [read]);
}

function usePageActions(): SpotlightActionData[] {
  const navigate = useNavigate();
  const { pages: ofPlugins } = usePages();
  const own = useOwnPages();
  const tabs = useSeenTabs();
  const hasSchemas = own.some(({ to }) => to === '/schemas');
  const check = {
    id: 'check',
    label: 'Check a table against a schema',
    onClick: () => void navigate({ to: '/schemas/check' }),
  };
  return [
    ...own.map(({ to, label }) => ({ id: to, label, onClick: () => void navigate({ to }) })),
    { id: 'patterns', label: 'Transform patterns', onClick: () => void navigate({ to: '/transforms/patterns' }) },
    ...(hasSchemas ? [check] : []),
    ...ofPlugins.map(({ plugin, name, title }) => ({
      id: `${plugin}/${name}`,
      label: title,
      onClick: () => void navigate({ to: '/pages/$plugin/$name', params: { plugin, name } }),
    })),
    ...tabs.map(([tab, label]) => ({
      id: `operations ${tab}`,
      label,
      description: 'Operations',
      onClick: () => void navigate({ to: '/operations', search: { tab } }),
    })),
  ];
}

function useStartActions(): SpotlightActionData[] {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { setColorScheme } = useMantineColorScheme();
  const mayConnect = useMay(createSource);
  const mayTransform = useMay(createTransform);
  const connect = [
    { id: 'new', label: 'New source', leftSection: PLUS, onClick: () => void navigate({ to: '/sources/new' }) },
    {
      id: 'load',
      label: 'Load files',
      keywords: 'upload csv json parquet',
      leftSection: <FileUp size={16} aria-hidden />,
      onClick: () => void navigate({ to: '/sources/load' }),
    },
  ];
  const transform = {
    id: 'new transform',
    label: 'New transform',
    leftSection: PLUS,
    onClick: () => void navigate({ to: '/transforms/new' }),
  };
  return [
    ...(mayConnect ? connect : []),
    ...(mayTransform ? [transform] : []),
    { id: 'dark', label: 'Dark colours', keywords: 'theme mode', onClick: () => setColorScheme('dark') },
    { id: 'light', label: 'Light colours', keywords: 'theme mode', onClick: () => setColorScheme('light') },
    { id: 'reload', label: 'Read everything again', onClick: () => void queries.invalidateQueries() },
  ];
}
