import { Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { Output } from '@weir/kernel/contract';
import { getServicesHealth, getStatus } from '@weir/plugin-platform/contract';
import { getEngineHealthDetailed, listEngineWorkers, listTaskQueues } from '@weir/plugin-workflow-engine/contract';
import { CheckCircle2, CircleAlert } from 'lucide-react';
import { useRead } from '../api/queries.ts';
import { FactList } from '../parts/fact-list.tsx';
import { counted, countText, durationText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { ToneWord } from '../parts/status-word.tsx';
import { usePerson } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';

const REFRESH_MS = 5_000;
const again = () => REFRESH_MS;

/** Whether each part answers; for platform admins the queues and workers too. */
export function HealthTab() {
  const { me } = usePerson();
  const status = useRead(getStatus, {}, { again });
  const parts = useRead(getServicesHealth, {}, { again });
  return (
    <Stack gap="lg">
      <Region query={status} lines={1}>
        {(answer) => (
          <FactList
            facts={[
              ['Release', answer.version],
              ['Mode', answer.mode],
              ['Up for', durationText(answer.uptime_seconds * 1_000)],
              ['New runs', answer.admission === 'open' ? 'are taken' : 'are not taken'],
              ['Plugins', countText(answer.plugins)],
            ]}
          />
        )}
      </Region>
      <section aria-labelledby="parts">
        <Title order={2} id="parts" mb="sm">
          Parts
        </Title>
        <Region query={parts}>
          {({ items }) => (
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
              {items.map(({ name, status: state, since }) => (
                <Group key={name} justify="space-between" className="panel" px="md" py="sm">
                  <Text fw={560}>{name.replaceAll(/[-_]/g, ' ')}</Text>
                  <Group gap="xs">
                    <Up isUp={state === 'up'} />
                    <Text size="sm" c="dimmed">
                      since <ShowTime at={since} inherit />
                    </Text>
                  </Group>
                </Group>
              ))}
            </SimpleGrid>
          )}
        </Region>
      </section>
      {me.platform_admin ? (
        <>
          <Queues />
          <Workers />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          Queues and workers serve every tenant; platform admins see them here.
        </Text>
      )}
    </Stack>
  );
}

function Up({ isUp, words = ['Up', 'Down'] }: { isUp: boolean; words?: readonly [up: string, down: string] }) {
  return isUp ? (
    <ToneWord icon={CheckCircle2} tone="good" word={words[0]} />
  ) : (
    <ToneWord icon={CircleAlert} tone="bad" word={words[1]} />
  );
}

type Queue = Output<typeof listTaskQueues>['items'][number];

function Queues() {
  const queues = useRead(listTaskQueues, {}, { again });
  const health = useRead(getEngineHealthDetailed, {}, { again });
  const verdicts = new Map(health.data?.queues.map(({ queue, backlog }) => [queue, backlog.verdict]));
  return (
    <section aria-labelledby="queues">
      <Title order={2} id="queues" mb="sm">
        Queues
      </Title>
      <Region query={queues} empty={({ items }) => (items.length === 0 ? { words: 'No queue yet.' } : undefined)}>
        {({ items }) => (
          <LongTable
            label="Table of queues"
            minWidth={760}
            spacing={6}
            head={
              <>
                <Table.Th>Role</Table.Th>
                <Table.Th>Workers</Table.Th>
                <Table.Th ta="right">Waiting</Table.Th>
                <Table.Th>Backlog</Table.Th>
                <Table.Th ta="right">Oldest</Table.Th>
                <Table.Th ta="right">Start, p50</Table.Th>
                <Table.Th ta="right">p95</Table.Th>
              </>
            }
            rows={items}
            keyOf={(queue) => queue.queue}
          >
            {(queue) => <QueueRow queue={queue} verdict={verdicts.get(queue.queue)} />}
          </LongTable>
        )}
      </Region>
    </section>
  );
}

const secondsText = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined ? 'no data' : durationText(seconds * 1_000);

function QueueRow({ queue, verdict }: { queue: Queue; verdict: string | undefined }) {
  const { pollers, backlog, last_seen_at: seen, schedule_to_start: start } = queue;
  return (
    <>
      <Table.Td>
        <Text size="sm" fw={560}>
          {queue.role}
        </Text>
        <Text size="xs" c="dimmed" className="mono-id">
          {queue.queue}
        </Text>
      </Table.Td>
      <Table.Td>
        {pollers.workflow > 0 ? (
          <Text size="sm">
            {counted(pollers.workflow, 'poller')}, {countText(pollers.activity)} for activities
          </Text>
        ) : (
          <Group gap="xs">
            <Up isUp={false} words={['', 'No worker']} />
            {seen === null ? null : <ShowTime at={seen} size="sm" c="dimmed" />}
          </Group>
        )}
      </Table.Td>
      <Table.Td ta="right">{countText(backlog.tasks)}</Table.Td>
      <Table.Td>{verdict ?? '–'}</Table.Td>
      <Table.Td ta="right">{backlog.tasks === 0 ? '–' : secondsText(backlog.oldest_seconds)}</Table.Td>
      <Table.Td ta="right">{secondsText(start?.p50_seconds)}</Table.Td>
      <Table.Td ta="right">{secondsText(start?.p95_seconds)}</Table.Td>
    </>
  );
}

function Workers() {
  const workers = useRead(listEngineWorkers, {}, { again });
  return (
    <section aria-labelledby="workers">
      <Title order={2} id="workers" mb="sm">
        Workers
      </Title>
      <Region
        query={workers}
        empty={({ items }) =>
          items.length === 0 ? { words: 'No worker polls. Runs wait until one does.' } : undefined
        }
      >
        {({ items }) => (
          <LongTable
            label="Table of workers"
            minWidth={640}
            spacing={6}
            head={
              <>
                <Table.Th>Worker</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Polls for</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Last seen</Table.Th>
              </>
            }
            rows={items}
            keyOf={(worker) => `${worker.identity} ${worker.queue}`}
          >
            {(worker) => (
              <>
                <Table.Td className="mono-id">{worker.identity}</Table.Td>
                <Table.Td>{worker.role}</Table.Td>
                <Table.Td>{worker.task_types.join(', ')}</Table.Td>
                <Table.Td>
                  <Up isUp={worker.live} words={['Live', 'Gone']} />
                </Table.Td>
                <Table.Td>
                  <ShowTime at={worker.last_seen_at} size="sm" />
                </Table.Td>
              </>
            )}
          </LongTable>
        )}
      </Region>
    </section>
  );
}
