import { Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { type DecidedPairView, dryRunPolicy } from '@weir/plugin-identity/contract';
import { Ban, CheckCircle2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { ToneWord } from '../../parts/status-word.tsx';
import { LongTable } from '../../table/long-table.tsx';

/** What the newest version of a policy would decide for a person, against what is decided now. */
export function PolicyTrial({ policyId }: { policyId: string }) {
  const [subject, setSubject] = useState('');
  const [actions, setActions] = useState('');
  const trial = useChange(dryRunPolicy);
  const asked = actions.split(/[\s,]+/).filter((action) => action !== '');
  const send = (event: FormEvent) => {
    event.preventDefault();
    trial.mutate({
      params: { policy_id: policyId },
      body: { principals: [{ sub: subject.trim() }], requests: asked.map((action) => ({ action })) },
    });
  };
  const answer = trial.data;
  return (
    <Stack gap="sm" p="md" className="panel" component="section" aria-labelledby="trial">
      <Title order={2} id="trial">
        Dry run
      </Title>
      <form onSubmit={send}>
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Who"
            description="Subject of a person who was seen here"
            value={subject}
            onChange={(event) => setSubject(event.currentTarget.value)}
          />
          <TextInput
            label="Does what"
            description="Operation ids, apart by spaces"
            placeholder="sources.delete_source"
            flex={1}
            value={actions}
            onChange={(event) => setActions(event.currentTarget.value)}
          />
          <Button type="submit" disabled={subject.trim() === '' || asked.length === 0} loading={trial.isPending}>
            Try
          </Button>
        </Group>
      </form>
      {trial.error === null ? null : <FaultNote error={trial.error} />}
      {answer?.kind === 'access' ? <Decisions results={answer.results} actions={asked} /> : null}
    </Stack>
  );
}

function Decisions({ results, actions }: { results: readonly DecidedPairView[]; actions: readonly string[] }) {
  return (
    <LongTable
      label="Decisions"
      minWidth={560}
      spacing={6}
      head={
        <>
          <Table.Th>Operation</Table.Th>
          <Table.Th>With it</Table.Th>
          <Table.Th>Now</Table.Th>
          <Table.Th>Decided by</Table.Th>
        </>
      }
      rows={results}
      keyOf={(one) => `${one.principal} ${one.request}`}
    >
      {(one) => (
        <>
          <Table.Td className="mono-id">{actions[one.request]}</Table.Td>
          <Table.Td>
            <Decision decision={one.decision} />
          </Table.Td>
          <Table.Td>
            <Decision decision={one.active_decision} />
          </Table.Td>
          <Table.Td>
            <Text size="sm">{[...one.reasons, ...one.errors].join(', ') || 'the role'}</Text>
            {one.code === null ? null : (
              <Text size="xs" c="dimmed">
                {one.code}
              </Text>
            )}
          </Table.Td>
        </>
      )}
    </LongTable>
  );
}

function Decision({ decision }: { decision: DecidedPairView['decision'] }) {
  return decision === 'allow' ? (
    <ToneWord icon={CheckCircle2} tone="good" word="Allowed" />
  ) : (
    <ToneWord icon={Ban} tone="warn" word="Denied" />
  );
}
