import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type DeliveryView, listDeliveries, redeliver, type WebhookView } from '@weir/plugin-webhooks/contract';
import { CheckCircle2, Clock, type LucideIcon, XCircle } from 'lucide-react';
import { useChange } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { type Tone, ToneWord } from '../parts/status-word.tsx';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';

const PAGE = 100;
const WORDS: Readonly<Record<DeliveryView['status'], [LucideIcon, Tone, string]>> = {
  pending: [Clock, 'busy', 'Waiting'],
  delivered: [CheckCircle2, 'good', 'Delivered'],
  failed: [XCircle, 'bad', 'Failed'],
};

/** What was sent to a webhook and what waits, newest first. */
export function Deliveries({ webhook, mayChange }: { webhook: WebhookView; mayChange: boolean }) {
  const { webhook_id } = webhook;
  const pages = useReadPages(listDeliveries, { params: { webhook_id }, query: { limit: PAGE } });
  const again = useChange(redeliver);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>Deliveries to {webhook.name}</Title>
        <Group gap="sm">
          <Button size="xs" variant="default" loading={pages.isFetching} onClick={() => void pages.refetch()}>
            Look again
          </Button>
          <Anchor size="sm" renderRoot={(props) => <Link to="/operations" search={{ tab: 'webhooks' }} {...props} />}>
            All webhooks
          </Anchor>
        </Group>
      </Group>
      {again.error === null ? null : <FaultNote error={again.error} />}
      <Region
        query={pages}
        empty={([first]) =>
          first?.items.length === 0 ? { words: 'Nothing was sent within the last seven days.' } : undefined
        }
      >
        {(all) => (
          <DeliveryTable
            deliveries={all.flatMap(({ items }) => items)}
            pages={pages}
            send={mayChange ? (event_id) => again.mutate({ params: { webhook_id, event_id } }) : undefined}
          />
        )}
      </Region>
    </Stack>
  );
}

interface DeliveryTableProps {
  deliveries: readonly DeliveryView[];
  pages: Pages;
  send: ((eventId: string) => void) | undefined;
}

function DeliveryTable({ deliveries, pages, send }: DeliveryTableProps) {
  return (
    <LongTable
      label="Deliveries"
      minWidth={760}
      spacing={6}
      head={
        <>
          <Table.Th>Event</Table.Th>
          <Table.Th>Result</Table.Th>
          <Table.Th ta="right">Attempts</Table.Th>
          <Table.Th>Answer</Table.Th>
          <Table.Th>When</Table.Th>
          <Table.Th>
            <span className="unseen">Send again</span>
          </Table.Th>
        </>
      }
      rows={deliveries}
      keyOf={(one) => one.event_id}
      pages={pages}
      moreWords="Show older ones"
    >
      {(one) => {
        const [icon, tone, word] = WORDS[one.status];
        return (
          <>
            <Table.Td>
              <Text size="sm" fw={560}>
                {one.event}
              </Text>
              <Text size="xs" c="dimmed">
                {one.subject}
              </Text>
            </Table.Td>
            <Table.Td>
              <ToneWord icon={icon} tone={tone} word={word} />
              {one.failure_code === null ? null : <Text size="sm">{one.failure_code.replaceAll('_', ' ')}</Text>}
            </Table.Td>
            <Table.Td ta="right">{one.attempts}</Table.Td>
            <Table.Td>{one.response_status ?? '–'}</Table.Td>
            <Table.Td>
              <ShowTime at={one.delivered_at ?? one.created_at} size="sm" />
              {one.next_attempt_at === null ? null : (
                <Text size="xs" c="dimmed">
                  next <ShowTime at={one.next_attempt_at} inherit />
                </Text>
              )}
            </Table.Td>
            <Table.Td ta="right">
              {send === undefined || one.status === 'pending' ? null : (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Send again: event ${one.event_id}`}
                  onClick={() => send(one.event_id)}
                >
                  Send again
                </Button>
              )}
            </Table.Td>
          </>
        );
      }}
    </LongTable>
  );
}
