import { Anchor, Stack, Table, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ListedRunView, listRuns } from '@weir/plugin-runs/contract';
import { useRead } from '../../api/queries.ts';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { RunWord } from '../../parts/status-word.tsx';
import { LongTable } from '../../table/long-table.tsx';

/** As many as a page of the server holds; a backing dataset has at most one. */
const MAX_OPEN = 500;

function useOpenOf(kind: string) {
  const pending = useRead(listRuns, { query: { kind, status: 'pending', limit: MAX_OPEN } });
  const running = useRead(listRuns, { query: { kind, status: 'running', limit: MAX_OPEN } });
  return [pending, running];
}

interface OpenSync {
  contract: number;
  run: ListedRunView;
}

/** The syncs of the tenant that have not ended, each with the contract that it follows to its end. */
export function OpenSyncs() {
  const [first, second] = [useOpenOf('ontology-sync'), useOpenOf('ontology-sync-v2')];
  const queries = [...first, ...second];
  const rows = [first, second].flatMap((found, at) =>
    found.flatMap(({ data }) => data?.items.map((run): OpenSync => ({ contract: at + 1, run })) ?? []),
  );
  const query = {
    data: queries.every(({ data }) => data !== undefined) ? rows : undefined,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    isPending: queries.some(({ isPending }) => isPending),
    refetch: () => Promise.all(queries.map((one) => one.refetch())),
  };
  return (
    <Stack gap="sm" component="section" aria-labelledby="open-syncs">
      <Title order={2} id="open-syncs">
        Open syncs of this tenant
      </Title>
      <Region
        query={query}
        empty={(found) => (found.length === 0 ? { words: 'Every sync of this tenant has ended.' } : undefined)}
      >
        {(found) => (
          <LongTable
            label="Open syncs"
            minWidth={520}
            spacing={6}
            head={
              <>
                <Table.Th>Backing dataset</Table.Th>
                <Table.Th w={110}>Contract</Table.Th>
                <Table.Th w={140}>Status</Table.Th>
                <Table.Th w={150}>Since</Table.Th>
              </>
            }
            rows={found}
            keyOf={({ run }) => run.run_id}
            foot={counted(found.length, 'sync')}
          >
            {({ contract, run: { run_id: runId, subject, status, created_at: at } }) => (
              <>
                <Table.Td className="type-name">
                  <Anchor
                    inherit
                    data-row
                    renderRoot={(props) => <Link to="/runs/$runId" params={{ runId }} {...props} />}
                  >
                    {subject.name ?? subject.id}
                  </Anchor>
                </Table.Td>
                <Table.Td>{contract}</Table.Td>
                <Table.Td>
                  <RunWord status={status} />
                </Table.Td>
                <Table.Td>
                  <ShowTime at={at} within />
                </Table.Td>
              </>
            )}
          </LongTable>
        )}
      </Region>
    </Stack>
  );
}
