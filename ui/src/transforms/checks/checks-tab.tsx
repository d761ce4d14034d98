import { Button, Group, Stack, Table, Text } from '@mantine/core';
import type { Output } from '@weir/kernel/contract';
import { type CheckBody, changeTransform, type getTransformDetail } from '@weir/plugin-transforms/contract';
import { useState } from 'react';
import { FaultNote } from '../../parts/fault-note.tsx';
import { CHECK_WORDS, CheckWord } from '../../runs/check-word.tsx';
import { useMay } from '../../session/person.ts';
import { LongTable } from '../../table/long-table.tsx';
import { candidateOf } from '../draft/definition.ts';
import { DraftState } from '../draft/draft-state.tsx';
import type { Saving } from '../draft/use-save.ts';
import { checkDetail } from './check-fields.ts';
import { CheckForm } from './check-form.tsx';

type Detail = Output<typeof getTransformDetail>;

interface ChecksTabProps {
  detail: Detail;
  saving: Saving;
}

/** The rules that rows must follow before they are published, and how they ended last. */
export function ChecksTab({ detail, saving }: ChecksTabProps) {
  const mayChange = useMay(changeTransform);
  const [isAdding, setAdding] = useState(false);
  const { error } = saving;
  const { checks } = candidateOf(detail);
  const set = (next: CheckBody[]) => {
    setAdding(false);
    saving.apply({ checks: next });
  };
  return (
    <Stack gap="sm">
      {detail.draft === null || saving.isPending ? null : (
        <Group className="panel" px="md" py="sm">
          <DraftState transform={detail} />
        </Group>
      )}
      {error === null ? null : <FaultNote error={error} />}
      {saving.isPending ? (
        <Text size="sm" role="status">
          Saving…
        </Text>
      ) : null}
      {checks.length === 0 ? (
        <Text p="lg" ta="center" className="panel">
          No check: the rows of a run are published as they are.
        </Text>
      ) : (
        <CheckTable
          checks={checks}
          run={detail.last_run}
          remove={mayChange ? (name) => set(checks.filter((check) => check.name !== name)) : undefined}
        />
      )}
      {mayChange && !isAdding ? (
        <div>
          <Button variant="default" size="sm" loading={saving.isPending} onClick={() => setAdding(true)}>
            Add a check
          </Button>
        </div>
      ) : null}
      {mayChange && isAdding ? (
        <CheckForm
          columns={detail.artifact?.columns.map(({ name }) => name) ?? []}
          taken={checks.map(({ name }) => name)}
          isPending={saving.isPending}
          add={(check) => set([...checks, check])}
        />
      ) : null}
    </Stack>
  );
}

interface CheckTableProps {
  checks: readonly CheckBody[];
  run: Detail['last_run'];
  remove: ((name: string) => void) | undefined;
}

function CheckTable({ checks, run, remove }: CheckTableProps) {
  return (
    <LongTable
      label="Table of checks"
      minWidth={680}
      head={
        <>
          <Table.Th>Check</Table.Th>
          <Table.Th>Rule</Table.Th>
          <Table.Th>When it is broken</Table.Th>
          <Table.Th>Last run</Table.Th>
          <Table.Th>
            <span className="unseen">Remove</span>
          </Table.Th>
        </>
      }
      rows={checks}
      keyOf={(check) => check.name}
    >
      {(check) => {
        const last = run?.checks.find(({ name }) => name === check.name);
        return (
          <>
            <Table.Td fw={560}>{check.name}</Table.Td>
            <Table.Td>
              <Text size="sm">{CHECK_WORDS[check.kind]}</Text>
              <Text size="xs" c="dimmed" className="mono-id" lineClamp={2}>
                {checkDetail(check)}
              </Text>
            </Table.Td>
            <Table.Td>{check.severity === 'warn' ? 'publish, and say so' : 'publish nothing'}</Table.Td>
            <Table.Td>{last === undefined ? '–' : <CheckWord status={last.status} />}</Table.Td>
            <Table.Td ta="right">
              {remove === undefined ? null : (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Remove ${check.name}`}
                  onClick={() => remove(check.name)}
                >
                  Remove
                </Button>
              )}
            </Table.Td>
          </>
        );
      }}
    </LongTable>
  );
}
