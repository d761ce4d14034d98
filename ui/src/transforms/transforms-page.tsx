import { Anchor, Button, Group, Menu, Switch, Table, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { createTransform, listTransforms, type TransformView } from '@weir/plugin-transforms/contract';
import { ChevronDown } from 'lucide-react';
import { useReadPages } from '../api/read-pages.ts';
import { useLetter } from '../keys/keys.ts';
import { counted, countText } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { reasonText } from '../runs/run-reason.ts';
import { useMay } from '../session/person.ts';
import { kindOfOutput } from '../statement/materialization-words.ts';
import type { Pages } from '../table/more-button.tsx';
import { type ListColumn, SortedTable } from '../table/sorted-table.tsx';

const PAGE = 200;

/** The transforms of the tenant: what each writes, and how and why its last run went. */
export function TransformsPage() {
  const search = useSearch({ from: '/transforms' });
  const navigate = useNavigate({ from: '/transforms' });
  const canCreate = useMay(createTransform);
  const isArchive = search.archived === 'yes';
  const query = { limit: PAGE, order: 'name', ...(isArchive ? { archived: true } : {}) };
  const pages = useReadPages(listTransforms, { query }, { keep: true });
  const filter = (change: { q?: string; archived?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  useLetter('n', canCreate ? () => void navigate({ to: '/transforms/patterns' }) : undefined);
  return (
    <>
      <PageHead title="Transforms">{canCreate ? <NewTransform /> : null}</PageHead>
      <Group mb="sm" gap="md">
        <TextInput
          aria-label="Filter by name or output"
          placeholder="Filter  /"
          data-filter
          size="sm"
          value={search.q ?? ''}
          onChange={(event) => filter({ q: event.currentTarget.value })}
        />
        <Switch
          label="Archived"
          checked={isArchive}
          onChange={(event) => filter({ archived: event.currentTarget.checked ? 'yes' : '' })}
        />
      </Group>
      <Region
        query={pages}
        empty={([first]) =>
          first?.items.length === 0 && !isArchive
            ? {
                words: 'No transform yet. A transform is one SELECT and the table that its rows become.',
                docs: '/docs',
                ...(canCreate ? { action: <NewTransform /> } : {}),
              }
            : undefined
        }
      >
        {(all) => (
          <TransformTable
            transforms={fitting(
              all.flatMap(({ items }) => items),
              search.q ?? '',
            )}
            pages={pages}
          />
        )}
      </Region>
    </>
  );
}

/** The two ways to a transform. */
function NewTransform() {
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button rightSection={<ChevronDown size={14} aria-hidden />}>New transform</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/transforms/patterns">
          From a pattern
        </Menu.Item>
        <Menu.Item component={Link} to="/transforms/new">
          From SQL
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const fitting = (transforms: readonly TransformView[], q: string) =>
  transforms.filter(({ name, output }) => `${name} ${output}`.toLowerCase().includes(q.toLowerCase()));

const COLUMNS: readonly ListColumn<TransformView>[] = [
  { name: 'name', label: 'Name', value: ({ name }) => name },
  { name: 'output', label: 'Writes', value: ({ output }) => output },
  { name: 'last', label: 'Last run', value: ({ last_run: run }) => run?.ended_at ?? run?.created_at ?? null },
  { name: 'why', label: 'Why' },
  {
    name: 'rows',
    label: 'Rows',
    ta: 'right',
    value: ({ last_run: run }) => (run?.rows == null ? null : Number(run.rows)),
  },
];

function TransformTable({ transforms, pages }: { transforms: readonly TransformView[]; pages: Pages }) {
  const { sort } = useSearch({ from: '/transforms' });
  const navigate = useNavigate({ from: '/transforms' });
  return (
    <SortedTable
      label="Transforms"
      minWidth={820}
      columns={COLUMNS}
      sort={sort}
      setSort={(next) => void navigate({ search: (before) => ({ ...before, sort: next }), replace: true })}
      rows={transforms}
      keyOf={(transform) => transform.transform_id}
      pages={pages}
      foot={transforms.length === 0 ? 'No transform fits the filter.' : counted(transforms.length, 'transform')}
    >
      {(transform) => <TransformRow transform={transform} />}
    </SortedTable>
  );
}

function TransformRow({ transform }: { transform: TransformView }) {
  const { transform_id, name, output, last_run: run, version, draft } = transform;
  return (
    <>
      <Table.Td>
        <Anchor
          fw={560}
          data-row
          renderRoot={(props) => (
            <Link to="/transforms/$transformId" params={{ transformId: transform_id }} {...props} />
          )}
        >
          {name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {version === null ? 'draft, nothing in force yet' : kindOfOutput(transform.materialization)}
          {version === null || draft === null ? '' : ', has a draft'}
        </Text>
      </Table.Td>
      <Table.Td>
        <Anchor
          size="sm"
          renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId: output }} {...props} />}
        >
          <span className="mono-id">{output}</span>
        </Anchor>
      </Table.Td>
      <Table.Td>
        {run === null ? (
          <Text size="sm" c="dimmed">
            Never ran
          </Text>
        ) : (
          <Group gap="xs" wrap="nowrap">
            <RunWord status={run.status} />
            <ShowTime at={run.ended_at ?? run.created_at} size="sm" c="dimmed" />
          </Group>
        )}
      </Table.Td>
      <Table.Td maw={320}>
        {run === null ? null : run.failure === null ? (
          <Text size="sm">{reasonText(run)}</Text>
        ) : (
          <Text size="sm" c="var(--mantine-color-error)" lineClamp={2}>
            {run.failure.detail}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{run === null || run.rows === null ? '–' : countText(Number(run.rows))}</Table.Td>
    </>
  );
}
