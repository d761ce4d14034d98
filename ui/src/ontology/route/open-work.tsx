import { Stack, Table, Text, Title } from '@mantine/core';
import type { SyncRouteView } from '@weir/plugin-ontology/contract';
import { CheckCircle2, Loader2 } from 'lucide-react';
import { counted, countText } from '../../parts/numbers.ts';
import { ToneWord } from '../../parts/status-word.tsx';
import { LongTable } from '../../table/long-table.tsx';

type Open = SyncRouteView['open'][number];

const WORDS: Readonly<Record<string, string>> = {
  OntologySyncWorkflow: 'Syncs',
  OntologySyncWorkflowV2: 'Syncs',
  OntologyReconcileWorkflow: 'Reconciliation, one schedule for each tenant',
  OntologyProbeWorkflow: 'Proofs of the queue',
  OntologyProbeWorkflowV2: 'Proofs of the queue',
};

/** Open work of a contract: runs, or executions where they carry out no run. */
export const openOf = (route: SyncRouteView, contract: number): number =>
  route.open
    .filter((one) => one.contract === contract)
    .reduce((sum, { runs, executions }) => sum + Math.max(runs, executions), 0);

/** How far each contract has drained, over all tenants. */
export function OpenWork({ route }: { route: SyncRouteView }) {
  return (
    <Stack gap="sm" component="section" aria-labelledby="open-work">
      <Title order={2} id="open-work">
        Open work of all tenants
      </Title>
      {[...new Set(route.open.map(({ contract }) => contract))].map((contract) => (
        <Drained key={contract} contract={contract} open={openOf(route, contract)} />
      ))}
      <LongTable
        label="Open work"
        minWidth={640}
        spacing={6}
        head={
          <>
            <Table.Th w={100}>Contract</Table.Th>
            <Table.Th>Work</Table.Th>
            <Table.Th w={100} ta="right">
              Runs
            </Table.Th>
            <Table.Th w={120} ta="right">
              Executions
            </Table.Th>
            <Table.Th w="30%">Queue</Table.Th>
          </>
        }
        rows={route.open}
        keyOf={({ contract, workflow_type }) => `${contract} ${workflow_type}`}
        foot="Runs are counted whether their workflows have begun or not. Reconciliation starts syncs that nothing else has started, by either contract: keep workers of contract 1."
      >
        {(one) => <Cells open={one} />}
      </LongTable>
    </Stack>
  );
}

const Drained = ({ contract, open }: { contract: number; open: number }) => (
  <Text size="sm" component="div" className="type-text">
    {open === 0 ? (
      <ToneWord icon={CheckCircle2} tone="good" word={`Contract ${contract} has drained`} />
    ) : (
      <>
        <ToneWord icon={Loader2} tone="busy" word={`Contract ${contract}: ${counted(open, 'execution')} open`} /> Keep
        its workers until they have ended.
      </>
    )}
  </Text>
);

const Cells = ({ open: { contract, workflow_type: type, runs, executions, task_queue } }: { open: Open }) => (
  <>
    <Table.Td>{contract}</Table.Td>
    <Table.Td>
      <Text size="sm">{WORDS[type] ?? type}</Text>
      <Text size="xs" c="dimmed" className="mono-id">
        {type}
      </Text>
    </Table.Td>
    <Table.Td ta="right">{countText(runs)}</Table.Td>
    <Table.Td ta="right">{countText(executions)}</Table.Td>
    <Table.Td className="mono-id type-name">{task_queue}</Table.Td>
  </>
);
