import { Button, Group, List, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { SCHEMA_CHANGE_POLICIES, type StreamView, SYNC_MODES, WRITE_MODES } from '@weir/plugin-sources/contract';
import { useMemo, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { counted } from '../../parts/numbers.ts';
import { type BulkPlan, type BulkWish, planBulk, sharedFields } from './bulk-plan.ts';
import { cursorFields, keyFields } from './legal.ts';
import { POLICY_WORDS, SYNC_WORDS, WRITE_WORDS } from './mode-words.ts';
import { pathText } from './schema-fields.ts';

/** Streams that are named with their reason; more are counted. */
const MAX_NAMED = 20;
const STAYS = 'Stays as it is';

interface BulkDialogProps {
  streams: readonly StreamView[];
  set(changes: BulkPlan['set']): void;
  close(): void;
}

const labelOf = ({ namespace, name }: StreamView) => (namespace === null ? name : `${namespace}.${name}`);

/** Settings for several streams, and on which of them they can be set. */
export function BulkDialog({ streams, set, close }: BulkDialogProps) {
  const [wish, setWish] = useState<BulkWish>({});
  const plan = useMemo(() => planBulk(streams, wish), [streams, wish]);
  const isEmpty = Object.keys(wish).length === 0;
  return (
    <Dialog title={`Settings of ${counted(streams.length, 'stream')}`} size="lg" onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (plan.set.length > 0) set(plan.set);
        }}
      >
        <Stack>
          <WishFields
            streams={streams}
            wish={wish}
            change={(next) => setWish((before) => given({ ...before, ...next }))}
          />
          <div role="status">{isEmpty ? null : <Consequence plan={plan} />}</div>
          <Group>
            <Button type="submit" disabled={isEmpty || plan.set.length === 0}>
              {isEmpty || plan.set.length === 0 ? 'Set' : `Set on ${counted(plan.set.length, 'stream')}`}
            </Button>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Without what was taken back. */
const given = (wish: { [K in keyof BulkWish]: BulkWish[K] | undefined }): BulkWish =>
  Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));

interface WishFieldsProps {
  streams: readonly StreamView[];
  wish: BulkWish;
  change(next: { [K in keyof BulkWish]: BulkWish[K] | undefined }): void;
}

function WishFields({ streams, wish, change }: WishFieldsProps) {
  const cursors = useMemo(() => optionsOf(streams, cursorFields), [streams]);
  const keys = useMemo(() => optionsOf(streams, keyFields), [streams]);
  const select = { placeholder: STAYS, clearable: true } as const;
  const clear = (label: string) => ({ clearButtonProps: { 'aria-label': `Clear ${label}` } });
  return (
    <>
      <Select
        label="Sync mode"
        {...select}
        {...clear('Sync mode')}
        data-autofocus
        data={SYNC_MODES.map((value) => ({ value, label: SYNC_WORDS[value].label }))}
        value={wish.sync_mode ?? null}
        onChange={(mode) => change({ sync_mode: SYNC_MODES.find((one) => one === mode) })}
      />
      <Select
        label="Cursor"
        {...select}
        {...clear('Cursor')}
        searchable
        nothingFoundMessage="None of them has this field"
        data={cursors}
        value={wish.cursor_field === undefined ? null : JSON.stringify(wish.cursor_field)}
        onChange={(key) => change({ cursor_field: key === null ? undefined : JSON.parse(key) })}
      />
      <Select
        label="Write mode"
        {...select}
        {...clear('Write mode')}
        data={WRITE_MODES.map((value) => ({ value, label: WRITE_WORDS[value].label }))}
        value={wish.write_mode ?? null}
        onChange={(mode) => change({ write_mode: WRITE_MODES.find((one) => one === mode) })}
      />
      <MultiSelect
        label="Primary key"
        {...select}
        {...clear('Primary key')}
        placeholder={wish.primary_key === undefined ? STAYS : ''}
        searchable
        nothingFoundMessage="None of them has this field"
        data={keys}
        value={wish.primary_key?.map((path) => JSON.stringify(path)) ?? []}
        onChange={(all) => change({ primary_key: all.length === 0 ? undefined : all.map((key) => JSON.parse(key)) })}
      />
      <Select
        label="When the schema changes"
        {...select}
        {...clear('When the schema changes')}
        data={SCHEMA_CHANGE_POLICIES.map((value) => ({ value, label: POLICY_WORDS[value].label }))}
        value={wish.schema_change_policy ?? null}
        onChange={(policy) => change({ schema_change_policy: SCHEMA_CHANGE_POLICIES.find((one) => one === policy) })}
      />
    </>
  );
}

function optionsOf(streams: readonly StreamView[], fieldsOf: typeof cursorFields) {
  return sharedFields(streams, fieldsOf).map(({ path, count }) => ({
    value: JSON.stringify(path),
    label: count === streams.length ? pathText(path) : `${pathText(path)} · ${count} of ${streams.length}`,
  }));
}

/** What would be set, where nothing changes, and why some streams cannot have it. */
function Consequence({ plan: { set, same, left } }: { plan: BulkPlan }) {
  const merged = set.filter(({ patch }) => patch.write_mode === 'merge').length;
  const appended = set.filter(({ patch }) => patch.write_mode === 'append').length;
  return (
    <Stack gap="xs">
      {set.length === 0 ? null : (
        <Text size="sm">
          Changes {counted(set.length, 'stream')}.{merged === 0 ? '' : ` Write mode becomes merge on ${merged}.`}
          {appended === 0 ? '' : ` Write mode becomes append on ${appended}.`}
        </Text>
      )}
      {same.length === 0 ? null : <Text size="sm">{counted(same.length, 'stream')} already so.</Text>}
      {left.length === 0 ? null : (
        <div>
          <Text size="sm" c="var(--weir-warn)">
            Not possible on {counted(left.length, 'stream')}:
          </Text>
          <List size="sm">
            {left.slice(0, MAX_NAMED).map(({ stream, why }) => (
              <List.Item key={stream.stream_id}>
                <strong>{labelOf(stream)}</strong>: {why}
              </List.Item>
            ))}
            {left.length > MAX_NAMED ? <List.Item>and {left.length - MAX_NAMED} more</List.Item> : null}
          </List>
        </div>
      )}
    </Stack>
  );
}
