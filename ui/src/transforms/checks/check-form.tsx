import { Button, Group, NativeSelect, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { CheckBody } from '@weir/plugin-transforms/contract';
import { type FormEvent, useState } from 'react';
import { CHECK_WORDS } from '../../runs/check-word.tsx';
import { type CheckDraft, type CheckKind, checkOf, EMPTY_CHECK } from './check-fields.ts';

const MANY: readonly CheckKind[] = ['not_null', 'unique'];
const ONE: readonly CheckKind[] = ['accepted_values', 'relationship', 'freshness'];

interface CheckFormProps {
  /** Columns of the result, where they are known. */
  columns: readonly string[];
  taken: readonly string[];
  isPending: boolean;
  add(check: CheckBody): void;
}

/** One more rule that rows must follow. */
export function CheckForm({ columns, taken, isPending, add }: CheckFormProps) {
  const [draft, setDraft] = useState<CheckDraft>(EMPTY_CHECK);
  const change = (next: Partial<CheckDraft>) => setDraft((before) => ({ ...before, ...next }));
  const check = checkOf(draft);
  const isTaken = taken.includes(draft.name);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (check !== undefined && !isTaken) add(check);
  };
  return (
    <form onSubmit={send} aria-label="New check">
      <Stack gap="sm" p="md" className="panel">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <NativeSelect
            label="Rule"
            data={Object.entries(CHECK_WORDS).map(([value, label]) => ({ value, label }))}
            value={draft.kind}
            onChange={(event) => change({ kind: event.currentTarget.value as CheckKind, columns: [] })}
          />
          <TextInput
            label="Name of the check"
            required
            placeholder="has_id"
            value={draft.name}
            error={isTaken ? 'Another check has this name' : undefined}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <NativeSelect
            label="When it is broken"
            data={[
              { value: 'fail', label: 'publish nothing' },
              { value: 'warn', label: 'publish, and say so' },
            ]}
            value={draft.severity}
            onChange={(event) => change({ severity: event.currentTarget.value as CheckDraft['severity'] })}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <KindFields draft={draft} change={change} columns={columns} />
        </SimpleGrid>
        <Group justify="flex-end">
          <Button type="submit" size="sm" disabled={check === undefined || isTaken} loading={isPending}>
            Add the check
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface KindFieldsProps {
  draft: CheckDraft;
  change(next: Partial<CheckDraft>): void;
  columns: readonly string[];
}

function KindFields({ draft, change, columns }: KindFieldsProps) {
  const text = (name: 'min' | 'max' | 'hours' | 'to' | 'toColumn', label: string) => (
    <TextInput label={label} value={draft[name]} onChange={(event) => change({ [name]: event.currentTarget.value })} />
  );
  if (draft.kind === 'sql')
    return (
      <Textarea
        label="SELECT of the wrong rows"
        description="The rows of the run are the table result"
        placeholder="select * from result where …"
        classNames={{ input: 'mono-id' }}
        autosize
        minRows={3}
        value={draft.sql}
        onChange={(event) => change({ sql: event.currentTarget.value })}
      />
    );
  return (
    <>
      {MANY.includes(draft.kind) ? (
        <TagsInput
          label="Columns"
          data={[...columns]}
          value={draft.columns}
          onChange={(chosen) => change({ columns: chosen })}
        />
      ) : null}
      {ONE.includes(draft.kind) ? (
        <NativeSelect
          label="Column"
          data={['', ...columns]}
          value={draft.columns[0] ?? ''}
          onChange={({ currentTarget: { value } }) => change({ columns: value === '' ? [] : [value] })}
        />
      ) : null}
      {draft.kind === 'accepted_values' ? (
        <TagsInput label="Values" value={draft.values} onChange={(values) => change({ values })} />
      ) : null}
      {draft.kind === 'relationship' ? text('to', 'In the table (dataset id)') : null}
      {draft.kind === 'relationship' ? text('toColumn', 'In its column, if named otherwise') : null}
      {draft.kind === 'row_count' ? text('min', 'At least') : null}
      {draft.kind === 'row_count' ? text('max', 'At most') : null}
      {draft.kind === 'freshness' ? text('hours', 'At most so many hours old') : null}
    </>
  );
}
