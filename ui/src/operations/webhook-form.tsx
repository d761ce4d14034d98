import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { changeWebhook, createWebhook, WEBHOOK_EVENTS, type WebhookView } from '@weir/plugin-webhooks/contract';
import { type FormEvent, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';

type EventName = (typeof WEBHOOK_EVENTS)[number];

export const EVENT_WORDS: Readonly<Record<EventName, string>> = {
  'run.failed': 'A run failed',
  'run.failed_again': 'A run failed once more',
  'run.recovered': 'A run succeeded after failures',
  'table.changed': 'A table has new rows or columns',
  'table.blocked': 'The maintenance of a table makes no progress',
};

/** Makes a webhook, and shows its secret once. */
export function NewWebhook({ onClose }: { onClose(): void }) {
  const create = useChange(createWebhook);
  if (create.data !== undefined)
    return (
      <ShownOnce title={`Webhook ${create.data.name}`} what="secret" secret={create.data.secret} onClose={onClose}>
        Every request is signed with this secret. Give it to the receiver, which checks the header X-Weir-Signature. It
        cannot be read again.
      </ShownOnce>
    );
  return (
    <WebhookDialog
      title="New webhook"
      act="Make the webhook"
      change={create}
      send={({ name, url, events }) => create.mutate({ body: { name, url, events } })}
      onClose={onClose}
    />
  );
}

/** Renames a webhook, and changes what it is sent, where, and with which secret it is signed. */
export function EditWebhook({ webhook, onClose }: { webhook: WebhookView; onClose(): void }) {
  const change = useChange(changeWebhook);
  const secret = change.data?.secret;
  if (secret !== undefined && secret !== null)
    return (
      <ShownOnce title={`Webhook ${webhook.name}`} what="secret" secret={secret} onClose={onClose}>
        From now on every request is signed with this secret, and no more with the one before. It cannot be read again.
      </ShownOnce>
    );
  return (
    <WebhookDialog
      title={`Change ${webhook.name}`}
      act="Save"
      webhook={webhook}
      change={change}
      send={({ name, url, events, newSecret }) => {
        const body = { name, events, ...(url !== '' && { url }), ...(newSecret && { new_secret: true }) };
        const headers = { 'if-match': `"${webhook.etag}"` };
        const done = (changed: { secret?: string | null }) => changed.secret == null && onClose();
        change.mutate({ params: { webhook_id: webhook.webhook_id }, body, headers }, { onSuccess: done });
      }}
      onClose={onClose}
    />
  );
}

interface WebhookDialogProps {
  title: string;
  act: string;
  /** Undefined for a new one. */
  webhook?: WebhookView;
  change: { error: Error | null; isPending: boolean };
  send(draft: { name: string; url: string; events: EventName[]; newSecret: boolean }): void;
  onClose(): void;
}

function WebhookDialog({ title, act, webhook, change, send, onClose }: WebhookDialogProps) {
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ['run.failed', 'run.recovered']);
  const [newSecret, setNewSecret] = useState(false);
  const isNew = webhook === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send({ name, url, events: events as EventName[], newSecret });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={isNew ? 'Address' : 'New address'}
            description={
              isNew
                ? 'Kept sealed, and never shown again'
                : `Left empty, it stays the one at ${webhook.host}, which is kept sealed`
            }
            placeholder="https://hooks.example.com/weir"
            type="url"
            required={isNew}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <EventChoice events={events} change={setEvents} />
          {isNew ? null : (
            <Checkbox
              label="Make a new secret"
              description="Shown once; the receiver must know it before the next request"
              checked={newSecret}
              onChange={(event) => setNewSecret(event.currentTarget.checked)}
            />
          )}
          {change.error === null ? null : <FaultNote error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              disabled={name.trim() === '' || (isNew && url === '') || events.length === 0}
              loading={change.isPending}
            >
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function EventChoice({ events, change }: { events: readonly string[]; change(events: string[]): void }) {
  return (
    <Checkbox.Group label="Post when" value={[...events]} onChange={change}>
      <Stack gap={6} mt={4}>
        {WEBHOOK_EVENTS.map((event) => (
          <Checkbox key={event} value={event} label={EVENT_WORDS[event]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
