import { Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { type Endpoint, type Input, pathNames } from '@weir/kernel/contract';
import { previewDataset } from '@weir/plugin-datasets/contract';
import {
  type AccessDocumentBody,
  type AccessDryRunView,
  createApiToken,
  createPolicy,
  dryRunPolicy,
  listUsers,
  MAX_PRINCIPALS,
  type UserView,
} from '@weir/plugin-identity/contract';
import { listAudit } from '@weir/plugin-platform/contract';
import { createSource, deleteSource, listSources, startSync } from '@weir/plugin-sources/contract';
import {
  changeTransform,
  createTransform,
  listTransforms,
  materializeTransform,
  runQuery,
} from '@weir/plugin-transforms/contract';
import { createWebhook } from '@weir/plugin-webhooks/contract';
import { useChange, useRead } from '../../api/queries.ts';
import { faultsByField } from '../../faults/problem-faults.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted } from '../../parts/numbers.ts';
import { operationsIn } from './policy-words.ts';

/** Operations that show what a policy takes away, beside those that it names. */
const TRIED: readonly Endpoint[] = [
  ...[listSources, createSource, startSync, deleteSource, previewDataset, runQuery, listTransforms, createTransform],
  ...[changeTransform, materializeTransform, createApiToken, createWebhook, createPolicy, listAudit],
];
const MAX_OPERATIONS = 20;
const ANY_ID = 'any';

type Trial = NonNullable<Input<typeof dryRunPolicy>['body']>;

interface PolicyPreviewProps {
  policyId: string;
  /** The newest version where it is absent. */
  document?: Record<string, unknown> | undefined;
}

/** Whom of the people who were seen here a policy would touch, and what they could do no more, or once more. */
export function PolicyPreview({ policyId, document }: PolicyPreviewProps) {
  const users = useRead(listUsers, { query: { limit: MAX_PRINCIPALS } });
  const trial = useChange(dryRunPolicy);
  const people = users.data?.items ?? [];
  const requests = requestsOf(document ?? {});
  const send = async () => {
    const body: Trial = {
      ...(document === undefined ? {} : { document }),
      principals: people.map(({ sub }) => ({ sub })),
      requests,
    };
    const params = { policy_id: policyId };
    await trial
      .mutateAsync({ params, body })
      .catch((error: unknown) => trial.mutateAsync({ params, body: withIds(body, faultsByField(error)) }))
      .catch(() => undefined);
  };
  const answer = trial.data;
  const fault = users.error ?? trial.error;
  return (
    <Stack gap="sm" p="md" className="panel" component="section" aria-labelledby="touched">
      <Group justify="space-between">
        <Title order={2} size="h4" id="touched">
          Whom it touches
        </Title>
        <Button
          size="xs"
          variant="default"
          disabled={people.length === 0}
          loading={trial.isPending}
          onClick={() => void send()}
        >
          Preview
        </Button>
      </Group>
      {fault === null ? null : <FaultNote error={fault} />}
      {answer?.kind === 'access' ? (
        <Touched answer={answer} people={people} operations={requests.map(({ action }) => action)} />
      ) : (
        <Text size="sm" c="dimmed">
          Decides as the platform would for the people who were seen here, with the policy and without. Nothing is
          stored.
        </Text>
      )}
    </Stack>
  );
}

/** The operations that a document names, and others, each on something that does not matter. */
function requestsOf(document: AccessDocumentBody): NonNullable<Trial['requests']> {
  const others = TRIED.map(({ id, path }) => {
    const resource = Object.fromEntries(pathNames(path).map((name) => [name, ANY_ID]));
    return { action: id, resource };
  });
  const named = operationsIn(document).filter((id) => TRIED.every((one) => one.id !== id));
  return [...named.map((action) => ({ action })), ...others].slice(0, MAX_OPERATIONS);
}

/** A trial with the ids that its refusal asks for: only the platform knows the paths of all operations. */
function withIds(trial: Trial, faults: ReadonlyMap<string, string>): Trial {
  const requests = trial.requests?.map((request, i) => {
    const place = `/requests/${i}/resource/`;
    const names = [...faults.keys()].flatMap((at) => (at.startsWith(place) ? [at.slice(place.length)] : []));
    return names.length === 0
      ? request
      : { ...request, resource: Object.fromEntries(names.map((name) => [name, ANY_ID])) };
  });
  return requests === undefined ? trial : { ...trial, requests };
}

interface TouchedProps {
  answer: AccessDryRunView;
  people: readonly UserView[];
  operations: readonly string[];
}

function Touched({ answer: { results, summary }, people, operations }: TouchedProps) {
  const touched = people.flatMap((person, i) => {
    const changes = results.filter(({ principal, changed }) => principal === i && changed);
    return changes.length === 0 ? [] : [{ person, changes }];
  });
  return (
    <Stack gap="xs" role="status">
      <Text size="sm" fw={560}>
        {touched.length === 0
          ? `Nobody of ${counted(people.length, 'person').replace('persons', 'people')}, in ${counted(operations.length, 'operation')} that were tried.`
          : `${touched.length} of ${counted(people.length, 'person').replace('persons', 'people')}: ${summary.lost.length} can do less, ${summary.gained.length} can do more.`}
      </Text>
      <List size="sm" spacing={4}>
        {touched.map(({ person, changes }) => (
          <List.Item key={person.sub}>
            <strong>{person.name ?? person.sub}</strong> {wordsOf(changes, operations)}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function wordsOf(changes: AccessDryRunView['results'], operations: readonly string[]): string {
  const of = (decision: 'allow' | 'deny') =>
    changes.flatMap((one) => (one.decision === decision ? [operations[one.request] ?? ''] : [])).join(', ');
  const [lost, gained] = [of('deny'), of('allow')];
  return [lost === '' ? '' : `may no longer: ${lost}`, gained === '' ? '' : `may again: ${gained}`]
    .filter(Boolean)
    .join('; ');
}
