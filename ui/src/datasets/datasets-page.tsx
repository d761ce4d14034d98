import { Anchor, Button, NavLink, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { DATASET_LAYERS, listDatasets } from '@weir/plugin-datasets/contract';
import { createSource } from '@weir/plugin-sources/contract';
import { useMemo } from 'react';
import { useRead } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { LayerWord } from '../lineage/layer-word.tsx';
import { bytesText, counted, countText } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { useMay } from '../session/person.ts';
import type { Pages } from '../table/more-button.tsx';
import { type ListColumn, SortedTable } from '../table/sorted-table.tsx';
import './datasets.css';

type Datasets = Output<typeof listDatasets>;
const PAGE = 200;
const MAX_KNOWN = 500;
const TYPING_MS = 250;

/** The tables that the tenant may read, by layer and name. */
export function DatasetsPage() {
  const search = useSearch({ from: '/datasets' });
  const navigate = useNavigate({ from: '/datasets' });
  const canCreate = useMay(createSource);
  const [word] = useDebouncedValue(search.q ?? '', TYPING_MS);
  const query = {
    limit: PAGE,
    ...(word === '' ? {} : { search: word }),
    ...(search.namespace === undefined ? {} : { namespace: search.namespace }),
  };
  const pages = useReadPages(listDatasets, { query }, { keep: true });
  const isFiltered = word !== '' || search.namespace !== undefined;
  return (
    <>
      <PageHead title="Datasets" />
      <div className="browse">
        <Namespaces chosen={search.namespace} />
        <Stack gap="sm">
          <TextInput
            aria-label="Find a table by its name"
            placeholder="Find a table  /"
            data-filter
            size="sm"
            maw={320}
            value={search.q ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void navigate({ search: (before) => ({ ...before, q: value }), replace: true })
            }
          />
          <Region
            query={pages}
            empty={([first]) =>
              first === undefined || first.items.length > 0 || isFiltered
                ? undefined
                : {
                    words: 'No table yet. A sync of a source or a run of a transform makes them.',
                    docs: '/docs',
                    ...(canCreate
                      ? {
                          action: (
                            <Button renderRoot={(props) => <Link to="/sources/new" {...props} />}>
                              Connect a source
                            </Button>
                          ),
                        }
                      : {}),
                  }
            }
          >
            {(all) => <DatasetTable datasets={all.flatMap(({ items }) => items)} pages={pages} />}
          </Region>
        </Stack>
      </div>
    </>
  );
}

/** Layers and the namespaces in them, as a filter. */
function Namespaces({ chosen }: { chosen: string | undefined }) {
  const known = useRead(listDatasets, { query: { limit: MAX_KNOWN } });
  const groups = useMemo(() => namespacesOf(known.data?.items ?? []), [known.data]);
  const link = (namespace: string | undefined, label: string, count: number) => (
    <NavLink
      key={label}
      active={chosen === namespace}
      aria-current={chosen === namespace ? 'true' : undefined}
      py={5}
      label={label}
      rightSection={
        <Text size="sm" component="span">
          {countText(count)}
        </Text>
      }
      renderRoot={(props) => (
        <Link to="/datasets" search={namespace === undefined ? {} : { namespace }} replace {...props} />
      )}
    />
  );
  return (
    <nav aria-label="Layers" className="panel browse-side">
      {link(undefined, 'All tables', known.data?.items.length ?? 0)}
      {groups.map(({ layer, namespaces }) => (
        <div key={layer}>
          <Text size="sm" c="dimmed" px="sm" pt="sm" pb={2} component="div">
            <LayerWord layer={layer} />
          </Text>
          {namespaces.map(([name, count]) => link(name, name.slice(layer.length + 1), count))}
        </div>
      ))}
      {known.data?.next_page_token ? (
        <Text size="sm" c="dimmed" px="sm" py="xs">
          Of the first {MAX_KNOWN} tables.
        </Text>
      ) : null}
    </nav>
  );
}

function namespacesOf(items: Datasets['items']) {
  return DATASET_LAYERS.flatMap((layer) => {
    const own = items.filter((item) => item.layer === layer);
    const namespaces = [...Map.groupBy(own, ({ namespace }) => namespace)].map(
      ([name, members]) => [name, members.length] as const,
    );
    return namespaces.length === 0 ? [] : [{ layer, namespaces }];
  });
}

interface DatasetTableProps {
  datasets: Datasets['items'];
  pages: Pages;
}

const amount = (digits: string | null) => (digits === null ? null : Number(digits));
const COLUMNS: readonly ListColumn<Datasets['items'][number]>[] = [
  { name: 'table', label: 'Table', value: ({ table }) => table },
  { name: 'layer', label: 'Layer', value: ({ layer }) => DATASET_LAYERS.indexOf(layer) },
  { name: 'rows', label: 'Rows', ta: 'right', value: ({ total_records: rows }) => amount(rows) },
  { name: 'size', label: 'Size', ta: 'right', value: ({ total_bytes: bytes }) => amount(bytes) },
  { name: 'columns', label: 'Columns', ta: 'right', value: ({ columns_count: count }) => count },
  { name: 'commit', label: 'Last commit', value: ({ updated_at: at }) => at },
];

function DatasetTable({ datasets, pages }: DatasetTableProps) {
  const { sort } = useSearch({ from: '/datasets' });
  const navigate = useNavigate({ from: '/datasets' });
  return (
    <SortedTable
      label="Tables"
      minWidth={720}
      columns={COLUMNS}
      sort={sort}
      setSort={(next) => void navigate({ search: (before) => ({ ...before, sort: next }), replace: true })}
      rows={datasets}
      keyOf={(dataset) => dataset.dataset_id}
      foot={datasets.length === 0 ? 'No table fits the filter.' : counted(datasets.length, 'table')}
      pages={pages}
    >
      {(dataset) => (
        <>
          <Table.Td>
            <Anchor
              fw={560}
              data-row
              renderRoot={(props) => (
                <Link to="/datasets/$datasetId" params={{ datasetId: dataset.dataset_id }} {...props} />
              )}
            >
              {dataset.table}
            </Anchor>
            <Text size="xs" c="dimmed" ff="monospace">
              {dataset.namespace}
            </Text>
          </Table.Td>
          <Table.Td>
            <LayerWord layer={dataset.layer} />
          </Table.Td>
          <Table.Td ta="right">
            {dataset.total_records === null ? '–' : countText(Number(dataset.total_records))}
          </Table.Td>
          <Table.Td ta="right">{dataset.total_bytes === null ? '–' : bytesText(Number(dataset.total_bytes))}</Table.Td>
          <Table.Td ta="right">{dataset.columns_count ?? '–'}</Table.Td>
          <Table.Td>{dataset.updated_at === null ? '–' : <ShowTime at={dataset.updated_at} size="sm" />}</Table.Td>
        </>
      )}
    </SortedTable>
  );
}
