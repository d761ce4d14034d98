import { Spotlight, spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createSource, listSources } from '@weir/plugin-sources/contract';
import { FileUp, Plus, Search } from 'lucide-react';
import { useEffect } from 'react';
import { useRead } from '../api/queries.ts';
import { useOwnPages } from '../keys/own-pages.ts';
import { usePages } from '../plugin-pages/use-pages.ts';
import { useMay } from '../session/person.ts';

const MAX_FOUND = 500;

/** Pages, actions and sources by name. Loaded when it is first wanted, and open then. */
export function Palette({ asked }: { asked: number }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const canCreate = useMay(createSource);
  const { pages: ofPlugins } = usePages();
  const own = useOwnPages();
  const hasSchemas = own.some(({ to }) => to === '/schemas');
  const { data } = useRead(listSources, { query: { limit: MAX_FOUND, order: 'name' } });
  useEffect(() => {
    if (asked > 0) spotlight.open();
  }, [asked]);
  const pages = [
    ...own.map(({ to, label }) => ({ id: to, label, onClick: () => void navigate({ to }) })),
    ...(hasSchemas
      ? [
          {
            id: 'check',
            label: 'Check a table against a schema',
            onClick: () => void navigate({ to: '/schemas/check' }),
          },
        ]
      : []),
    ...ofPlugins.map(({ plugin, name, title }) => ({
      id: `${plugin}/${name}`,
      label: title,
      onClick: () => void navigate({ to: '/pages/$plugin/$name', params: { plugin, name } }),
    })),
    { id: 'reload', label: 'Read everything again', onClick: () => void queries.invalidateQueries() },
  ];
  const actions = canCreate
    ? [
        {
          id: 'new',
          label: 'New source',
          leftSection: <Plus size={16} aria-hidden />,
          onClick: () => void navigate({ to: '/sources/new' }),
        },
        {
          id: 'load',
          label: 'Load files',
          leftSection: <FileUp size={16} aria-hidden />,
          onClick: () => void navigate({ to: '/sources/load' }),
        },
      ]
    : [];
  const sources = (data?.items ?? []).map(({ source_id, name, pattern_id }) => ({
    id: source_id,
    label: name,
    description: `Source, ${pattern_id}`,
    onClick: () => void navigate({ to: '/sources/$sourceId', params: { sourceId: source_id } }),
  }));
  return (
    <Spotlight
      shortcut={null}
      actions={[...pages, ...actions, ...sources]}
      limit={12}
      scrollable
      nothingFound="Nothing has this name"
      searchProps={{
        'aria-label': 'Find',
        placeholder: 'A page, an action or a source',
        leftSection: <Search size={18} aria-hidden />,
      }}
    />
  );
}
