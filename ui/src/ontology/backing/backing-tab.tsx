import { Anchor, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  type BackingDatasetItemView,
  createBackingDataset,
  listBackingDatasets,
  listPendingSyncs,
  type PendingSyncView,
} from '@weir/plugin-ontology/contract';
import { given } from '../../api/given.ts';
import { useRead } from '../../api/queries.ts';
import { useReadPages } from '../../api/read-pages.ts';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { useMay } from '../../session/person.ts';
import { LongTable } from '../../table/long-table.tsx';
import { REASON_WORDS, StateWord } from '../sync/sync-words.tsx';
import '../ontology.css';

const PAGE = 200;
const MAX_PENDING = 500;

/** The backing datasets of the tenant with their states. */
export function BackingTab() {
  const { q = '' } = useSearch({ from: '/ontology' });
  const navigate = useNavigate({ from: '/ontology' });
  const word = q.toLowerCase();
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Filter by name, table or type"
        placeholder="Filter  /"
        data-filter
        size="sm"
        maw={280}
        value={q}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ search: (before) => ({ ...before, q: value }), replace: true })
        }
      />
      <BackingList
        fits={({ name, dataset_id, entity_type_code }) =>
          `${name} ${dataset_id} ${entity_type_code}`.toLowerCase().includes(word)
        }
      />
    </Stack>
  );
}

interface BackingListProps {
  /** Only those that fill this type. */
  type?: string;
  fits?: (item: BackingDatasetItemView) => boolean;
}

/** Backing datasets, and why those that are not in step are not. */
export function BackingList({ type, fits = () => true }: BackingListProps) {
  const mayCreate = useMay(createBackingDataset);
  const query = given({ limit: PAGE, order: 'name' as const, entity_type_code: type });
  const pages = useReadPages(listBackingDatasets, { query }, { keep: true });
  const pending = useRead(listPendingSyncs, { query: { limit: MAX_PENDING } });
  const reasons = new Map(pending.data?.items.map((one) => [one.backing_dataset_id, one]));
  return (
    <Region
      query={pages}
      empty={([first]) =>
        first?.items.length === 0
          ? {
              words: `No table fills ${type ?? 'an entity type'} yet. A backing dataset says which columns of a table become which properties; its syncs keep the entities as the table has them.`,
              docs: '/docs',
              action: mayCreate ? (
                <Button
                  renderRoot={(props) => (
                    <Link to="/ontology/backing/create" search={type === undefined ? {} : { type }} {...props} />
                  )}
                >
                  Fill a type from a table
                </Button>
              ) : undefined,
            }
          : undefined
      }
    >
      {(all) => {
        const rows = all.flatMap(({ items }) => items).filter(fits);
        return (
          <LongTable
            label="Backing datasets"
            minWidth={860}
            head={
              <>
                <Table.Th w="26%">Backing dataset</Table.Th>
                <Table.Th w={140}>State</Table.Th>
                <Table.Th w="24%">Why</Table.Th>
                <Table.Th>Table</Table.Th>
                <Table.Th w="16%">Entity type</Table.Th>
              </>
            }
            rows={rows}
            keyOf={({ backing_dataset_id: id }) => id}
            pages={pages}
            foot={rows.length === 0 ? 'None fits the filter.' : counted(rows.length, 'backing dataset')}
          >
            {(item) => <Cells item={item} pending={reasons.get(item.backing_dataset_id)} />}
          </LongTable>
        );
      }}
    </Region>
  );
}

function Cells({ item, pending }: { item: BackingDatasetItemView; pending: PendingSyncView | undefined }) {
  const { backing_dataset_id: backingId, name, state, dataset_id: datasetId, entity_type_code: code } = item;
  return (
    <>
      <Table.Td className="type-name">
        <Anchor
          inherit
          fw={560}
          data-row
          renderRoot={(props) => <Link to="/ontology/backing/$backingId" params={{ backingId }} {...props} />}
        >
          {name}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <StateWord state={state} />
      </Table.Td>
      <Table.Td>
        <Why item={item} pending={pending} />
      </Table.Td>
      <Table.Td className="type-name">
        <Anchor inherit renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId }} {...props} />}>
          <span className="mono-id">{datasetId}</span>
        </Anchor>
      </Table.Td>
      <Table.Td className="type-name">
        <Anchor inherit renderRoot={(props) => <Link to="/ontology/types/$code" params={{ code }} {...props} />}>
          {code}
        </Anchor>
      </Table.Td>
    </>
  );
}

function Why({ item, pending }: { item: BackingDatasetItemView; pending: PendingSyncView | undefined }) {
  const { state, sync, last_run_id: runId } = item;
  if (state === 'in_step') return <span className="type-code">–</span>;
  if (runId !== null && state !== 'pending')
    return (
      <Anchor size="sm" renderRoot={(props) => <Link to="/runs/$runId" params={{ runId }} {...props} />}>
        {state === 'syncing' ? 'A run is open' : 'The last sync failed'}
      </Anchor>
    );
  return (
    <Group gap={4}>
      <Text size="sm">{pending === undefined ? 'A sync is due' : REASON_WORDS[pending.reason]}</Text>
      {pending === undefined ? null : <ShowTime at={pending.since} size="xs" c="dimmed" />}
      {sync === 'manual' ? (
        <Text size="xs" c="dimmed">
          starts on request
        </Text>
      ) : null}
    </Group>
  );
}
