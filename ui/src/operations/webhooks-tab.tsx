import { Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  testWebhook,
  type WebhookView,
} from '@weir/plugin-webhooks/contract';
import { CheckCircle2, CircleAlert, Pause } from 'lucide-react';
import { useState } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { countText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ToneWord } from '../parts/status-word.tsx';
import { useMay } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook, EVENT_WORDS, NewWebhook } from './webhook-form.tsx';

const PAGE = 100;
/** Where events of the tenant are posted, or what was sent to one of them. */
export function WebhooksTab() {
  const { webhook } = useSearch({ from: '/operations' });
  const pages = useReadPages(listWebhooks, { query: { limit: PAGE, order: 'name' } });
  const mayChange = useMay(createWebhook);
  const [isMaking, setMaking] = useState(false);
  if (webhook !== undefined) return <OneWebhook webhookId={webhook} mayChange={mayChange} />;
  const create = <Button onClick={() => setMaking(true)}>New webhook</Button>;
  return (
    <Stack gap="sm">
      {mayChange ? <Group justify="flex-end">{create}</Group> : null}
      <Region
        query={pages}
        empty={([first]) =>
          first?.items.length === 0
            ? { words: 'No webhook yet. One posts failures, recoveries and new rows to an address of yours.' }
            : undefined
        }
      >
        {(all) => <WebhookTable webhooks={all.flatMap(({ items }) => items)} pages={pages} mayChange={mayChange} />}
      </Region>
      {isMaking ? <NewWebhook onClose={() => setMaking(false)} /> : null}
    </Stack>
  );
}

function OneWebhook({ webhookId, mayChange }: { webhookId: string; mayChange: boolean }) {
  const query = useRead(getWebhook, { params: { webhook_id: webhookId } });
  return <Region query={query}>{(webhook) => <Deliveries webhook={webhook} mayChange={mayChange} />}</Region>;
}

interface WebhookTableProps {
  webhooks: readonly WebhookView[];
  pages: Pages;
  mayChange: boolean;
}

function WebhookTable({ webhooks, pages, mayChange }: WebhookTableProps) {
  const change = useChange(changeWebhook);
  const test = useChange(testWebhook);
  const [deleting, setDeleting] = useState<WebhookView>();
  const [changing, setChanging] = useState<WebhookView>();
  const fault = change.error ?? test.error;
  return (
    <>
      {fault === null ? null : <FaultNote error={fault} />}
      {test.data === undefined ? null : (
        <Text size="sm" role="status">
          A test event was sent; its delivery says what became of it.
        </Text>
      )}
      <LongTable
        label="Webhooks"
        minWidth={900}
        head={
          <>
            <Table.Th>Name</Table.Th>
            <Table.Th>Server</Table.Th>
            <Table.Th>Events</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="right">Waiting</Table.Th>
            <Table.Th>
              <span className="unseen">Actions</span>
            </Table.Th>
          </>
        }
        rows={webhooks}
        keyOf={(webhook) => webhook.webhook_id}
        pages={pages}
      >
        {(webhook) => {
          const params = { webhook_id: webhook.webhook_id };
          const isActive = webhook.status === 'active';
          return (
            <>
              <Table.Td>
                <Anchor
                  fw={560}
                  data-row
                  renderRoot={(props) => (
                    <Link to="/operations" search={{ tab: 'webhooks', webhook: webhook.webhook_id }} {...props} />
                  )}
                >
                  {webhook.name}
                </Anchor>
              </Table.Td>
              <Table.Td className="mono-id">{webhook.host}</Table.Td>
              <Table.Td>
                {webhook.events.map((event) => (
                  <Text key={event} size="sm">
                    {EVENT_WORDS[event]}
                  </Text>
                ))}
              </Table.Td>
              <Table.Td>
                <WebhookState webhook={webhook} />
              </Table.Td>
              <Table.Td ta="right">{countText(webhook.pending)}</Table.Td>
              <Table.Td>
                {mayChange ? (
                  <WebhookButtons
                    webhook={webhook}
                    test={() => test.mutate({ params })}
                    pause={() => change.mutate({ params, body: { status: isActive ? 'paused' : 'active' } })}
                    edit={() => setChanging(webhook)}
                    remove={() => setDeleting(webhook)}
                  />
                ) : null}
              </Table.Td>
            </>
          );
        }}
      </LongTable>
      {changing === undefined ? null : <EditWebhook webhook={changing} onClose={() => setChanging(undefined)} />}
      {deleting === undefined ? null : <DeleteWebhook webhook={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

interface WebhookButtonsProps {
  webhook: WebhookView;
  test(): void;
  pause(): void;
  edit(): void;
  remove(): void;
}

function WebhookButtons({ webhook: { name, status }, test, pause, edit, remove }: WebhookButtonsProps) {
  const isActive = status === 'active';
  const acts = [
    ['Test', test],
    [isActive ? 'Pause' : 'Resume', pause],
    ['Change…', edit],
    ['Delete…', remove],
  ] as const;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {acts.map(([word, act]) => (
        <Button
          key={word}
          size="compact-xs"
          variant="default"
          aria-label={`${word} ${name}`}
          disabled={word === 'Test' && !isActive}
          onClick={act}
        >
          {word}
        </Button>
      ))}
    </Group>
  );
}

function WebhookState({ webhook: { status, pause } }: { webhook: WebhookView }) {
  if (status === 'active') return <ToneWord icon={CheckCircle2} tone="good" word="Active" />;
  return (
    <>
      <ToneWord
        icon={pause === null ? Pause : CircleAlert}
        tone={pause === null ? 'quiet' : 'bad'}
        word={pause === null ? 'Paused' : 'Paused by the platform'}
      />
      {pause === null ? null : <Text size="sm">{pause.detail}</Text>}
    </>
  );
}

function DeleteWebhook({ webhook, onClose }: { webhook: WebhookView; onClose(): void }) {
  const remove = useChange(deleteWebhook);
  return (
    <Dialog title={`Delete ${webhook.name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          {webhook.pending === 0
            ? 'Nothing waits for it. '
            : `${countText(webhook.pending)} events that wait for it are dropped. `}
          Its deliveries are forgotten, too.
        </Text>
        {remove.error === null ? null : <FaultNote error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate({ params: { webhook_id: webhook.webhook_id } }, { onSuccess: onClose })}
          >
            Delete
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
