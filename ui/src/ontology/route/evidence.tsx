import { Stack, Table, Text, Title } from '@mantine/core';
import type { SyncRouteView } from '@weir/plugin-ontology/contract';
import { CheckCircle2, XCircle } from 'lucide-react';
import { useId } from 'react';
import { counted } from '../../parts/numbers.ts';
import { ShowTime } from '../../parts/show-time.tsx';
import { ToneWord } from '../../parts/status-word.tsx';
import { LongTable } from '../../table/long-table.tsx';

export type RouteEvidence = NonNullable<SyncRouteView['evidence']>;
type QueueEvidence = RouteEvidence['queues'][number];

const FAULT_WORDS: Readonly<Record<QueueEvidence['faults'][number], string>> = {
  workflow_poller_missing: 'No worker of this release polls it for workflows',
  activity_poller_missing: 'No worker of this release polls it for activities, as while all slots are busy',
  probe_not_ended: 'No worker of this release carried out a probe',
};

interface EvidenceProps {
  evidence: RouteEvidence | null;
  title: string;
  /** What is said where nothing was kept. */
  absent?: string;
}

/** Who polled each queue, and how its probe ended. */
export function Evidence({ evidence, title, absent }: EvidenceProps) {
  const id = useId();
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {evidence === null ? (
        <Text size="sm" c="dimmed" p="md" className="panel">
          {absent}
        </Text>
      ) : (
        <>
          <Text size="sm">
            Looked at <ShowTime at={evidence.looked_at} inherit />, for the release{' '}
            <span className="mono-id">{evidence.release}</span>.
          </Text>
          <LongTable
            label={`Table: ${title}`}
            minWidth={680}
            spacing={6}
            head={
              <>
                <Table.Th w={180}>Queue</Table.Th>
                <Table.Th>Polled for workflows</Table.Th>
                <Table.Th>Polled for activities</Table.Th>
                <Table.Th>Probe</Table.Th>
                <Table.Th w={180}>Verdict</Table.Th>
              </>
            }
            rows={evidence.queues}
            keyOf={({ task_queue }) => task_queue}
          >
            {(queue) => <Cells queue={queue} />}
          </LongTable>
        </>
      )}
    </Stack>
  );
}

function Cells({ queue }: { queue: QueueEvidence }) {
  const { contract, task_queue, workflow_pollers, activity_pollers, probe, faults } = queue;
  return (
    <>
      <Table.Td className="type-name">
        <Text size="sm">Contract {contract}</Text>
        <Text size="xs" c="dimmed" className="mono-id">
          {task_queue}
        </Text>
      </Table.Td>
      <Table.Td className="type-name">
        <Pollers pollers={workflow_pollers} />
      </Table.Td>
      <Table.Td className="type-name">
        <Pollers pollers={activity_pollers} />
      </Table.Td>
      <Table.Td className="type-name">
        {probe === null ? (
          'none was started'
        ) : (
          <>
            <Text size="sm">{probe.status}</Text>
            {probe.ended_at === null ? null : <ShowTime at={probe.ended_at} size="xs" c="dimmed" />}
          </>
        )}
      </Table.Td>
      <Table.Td className="type-text">
        {faults.length === 0 ? (
          <ToneWord icon={CheckCircle2} tone="good" word="Proven" />
        ) : (
          <>
            <ToneWord icon={XCircle} tone="bad" word="Not proven" />
            {faults.map((fault) => (
              <Text key={fault} size="xs" mt={4}>
                {FAULT_WORDS[fault]}
              </Text>
            ))}
          </>
        )}
      </Table.Td>
    </>
  );
}

const Pollers = ({ pollers }: { pollers: QueueEvidence['workflow_pollers'] }) =>
  pollers.length === 0
    ? 'by no worker'
    : pollers.map(({ release, workers, last_seen_at }) => (
        <Text key={`${release} ${last_seen_at}`} size="sm">
          {release === null ? 'other programs' : counted(workers, 'worker')}
          {release === null ? null : (
            <>
              {' of '}
              <span className="mono-id">{release}</span>
            </>
          )}
        </Text>
      ));
