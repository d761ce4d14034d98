import { Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type RegisteredRouter, useNavigate, useSearch } from '@tanstack/react-router';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { runQuery } from '@weir/plugin-transforms/contract';
import { Download } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Dataset } from '../api/dataset-shapes.ts';
import { useReadPages } from '../api/read-pages.ts';
import { csvOf } from '../grid/cell.ts';
import { DataGrid } from '../grid/data-grid.tsx';
import { type ChartChoice, QuickChart } from '../grid/quick-chart.tsx';
import { saveText } from '../grid/save-text.ts';
import { TableChart } from '../grid/table-chart.tsx';
import { useLetter } from '../keys/keys.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted, countText, durationText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { useMay } from '../session/person.ts';
import { FilterBar } from './filter-bar.tsx';

const PAGE = 100;

/** Rows of a table: filtered and ordered by the server, read on as they are scrolled. */
export function PreviewTab({ dataset }: { dataset: Dataset }) {
  const search = useSearch({ from: '/datasets/$datasetId' });
  const navigate = useNavigate({ from: '/datasets/$datasetId' });
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const columns = dataset.schema.columns;
  const order = ordersOf(columns).find(({ value }) => value === search.order)?.value;
  const word = (search.columns ?? '').toLowerCase();
  const wanted = columns.map(({ name }) => name).filter((name) => name.toLowerCase().includes(word));
  const filters = search.filter === undefined ? [] : search.filter.split('\n');
  const pages = useReadPages(
    previewDataset,
    {
      params: { dataset_id: dataset.dataset_id },
      query: {
        limit: PAGE,
        ...(search.snapshot === undefined ? {} : { snapshot_id: search.snapshot }),
        ...(word === '' || wanted.length === 0 ? {} : { columns: wanted }),
        ...(filters.length === 0 ? {} : { filter: filters }),
        ...(order === undefined ? {} : { order }),
      },
    },
    { keep: true },
  );
  const mayAsk = useMay(runQuery);
  const firstMs = useFirstMs(pages.isPending || pages.isPlaceholderData);
  const hasChart = search.chart === 'on';
  useLetter('c', () => change({ chart: hasChart ? undefined : 'on' }));
  return (
    <Stack gap="sm">
      <Toolbar columns={columns} search={{ ...search, order }} filters={filters} change={change} />
      <Region query={pages} lines={8}>
        {(all) => (
          <Rows
            dataset={dataset}
            pages={all}
            isFiltered={filters.length > 0}
            isWhole={mayAsk && filters.length === 0 && search.snapshot === undefined}
            hasMore={pages.hasNextPage}
            isReading={pages.isFetchingNextPage}
            firstMs={firstMs}
            readMore={() => void (pages.isFetchingNextPage || pages.fetchNextPage())}
            chart={hasChart ? search : undefined}
            choose={change}
          />
        )}
      </Region>
      {pages.isFetchNextPageError ? (
        <FaultNote error={pages.error ?? new Error()} retry={() => void pages.fetchNextPage()} />
      ) : null}
    </Stack>
  );
}

/** How long it took until no first page was awaited any more. */
function useFirstMs(isAwaited: boolean): number | undefined {
  const began = useRef<number>(undefined);
  const [ms, setMs] = useState<number>();
  useEffect(() => {
    if (isAwaited) began.current = performance.now();
    else if (began.current !== undefined) setMs(performance.now() - began.current);
  }, [isAwaited]);
  return ms;
}

const ordersOf = (columns: Dataset['schema']['columns']) =>
  columns.flatMap(({ name }) => [
    { value: name, label: `${name} ↑` },
    { value: `-${name}`, label: `${name} ↓` },
  ]);

type PreviewSearch = ReturnType<typeof useSearch<RegisteredRouter, '/datasets/$datasetId'>>;

interface ToolbarProps {
  columns: Dataset['schema']['columns'];
  search: PreviewSearch;
  filters: readonly string[];
  change(next: Partial<PreviewSearch>): void;
}

/** Which columns and rows are shown, in which order, and whether as a chart. */
function Toolbar({ columns, search, filters, change }: ToolbarProps) {
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="xs">
        <TextInput
          aria-label="Find columns"
          placeholder="Columns  /"
          data-filter
          size="sm"
          w={150}
          value={search.columns ?? ''}
          onChange={(event) => change({ columns: event.currentTarget.value })}
        />
        <Select
          aria-label="Order by"
          placeholder="Order of the files"
          size="sm"
          w={190}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Order of the files' }}
          data={ordersOf(columns)}
          value={search.order ?? null}
          onChange={(value) => change({ order: value ?? '' })}
        />
        <FilterBar columns={columns} filters={filters} change={(next) => change({ filter: next.join('\n') })} />
      </Group>
      <Switch
        label="Chart"
        checked={search.chart === 'on'}
        onChange={(event) => change({ chart: event.currentTarget.checked ? 'on' : undefined })}
      />
    </Group>
  );
}

type PreviewPage = NonNullable<ReturnType<typeof useReadPages<typeof previewDataset>>['data']>[number];

interface RowsProps {
  dataset: Dataset;
  pages: readonly PreviewPage[];
  isFiltered: boolean;
  /** A chart may be of all rows: the newest ones, without a filter. */
  isWhole: boolean;
  hasMore: boolean;
  isReading: boolean;
  /** Milliseconds until the first page was here; undefined where it was here before. */
  firstMs: number | undefined;
  readMore(): void;
  chart: ChartChoice | undefined;
  choose(change: ChartChoice): void;
}

function Rows({ dataset, pages, isFiltered, isWhole, hasMore, isReading, firstMs, readMore, ...more }: RowsProps) {
  const { chart, choose } = more;
  const columns = pages[0]?.columns ?? [];
  const rows = useMemo(() => pages.flatMap((page) => page.rows), [pages]);
  if (rows.length === 0)
    return (
      <Text p="lg" className="panel" ta="center">
        {isFiltered ? 'No row fits the filters.' : 'This snapshot has no rows.'}
      </Text>
    );
  const total = isFiltered || dataset.total_records === null ? '' : ` of ${countText(Number(dataset.total_records))}`;
  return (
    <Stack gap="sm">
      {chart === undefined ? null : isWhole ? (
        <TableChart
          datasetId={dataset.dataset_id}
          total={dataset.total_records}
          columns={columns}
          choice={chart}
          choose={choose}
        />
      ) : (
        <QuickChart columns={columns} rows={rows} choice={chart} choose={choose} />
      )}
      <DataGrid
        label={`Rows of ${dataset.table}`}
        columns={columns}
        rows={rows}
        onEnd={hasMore ? readMore : undefined}
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {hasMore
            ? `${countText(rows.length)}${total} rows read so far; more come as you scroll`
            : counted(rows.length, 'row')}
          {isReading ? '. Reading…' : ''}
        </Text>
        <Text size="sm" c="dimmed" ml="auto">
          {pages[0]?.snapshot_id == null ? '' : `Snapshot ${pages[0].snapshot_id}`}
          {firstMs === undefined ? '' : ` · first rows in ${durationText(firstMs)}`}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          onClick={() => saveText(`${dataset.table}.csv`, csvOf(columns, rows))}
        >
          Save these rows as CSV
        </Button>
      </Group>
    </Stack>
  );
}
