import { Button, Code, Group, List, Stack, Text, Title } from '@mantine/core';
import {
  getDiscoveryStatus,
  type RefreshDiffView,
  refreshSchema,
  type SourceView,
  startDiscovery,
} from '@weir/plugin-sources/contract';
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted } from '../../parts/numbers.ts';
import { CorrectLink } from '../configuration/correct-link.tsx';
import { OpenDiscovery } from '../create/discovery-result.tsx';
import { DiscoveryWarnings } from '../create/discovery-warnings.tsx';

const LOOK_AGAIN_MS = 700;

/** Looks at the source again and shows what would change before anything does. */
export function DiscoverAgain({ source }: { source: SourceView }) {
  const [workflowId, setWorkflowId] = useState<string>();
  const start = useChange(startDiscovery);
  const discover = () =>
    start.mutate(
      { body: { source_id: source.source_id, apply: false } },
      { onSuccess: ({ workflow_id }) => setWorkflowId(workflow_id) },
    );
  return (
    <Stack gap="sm">
      <Group>
        <Button
          variant="default"
          size="sm"
          leftSection={<RefreshCw size={14} aria-hidden />}
          loading={start.isPending}
          onClick={discover}
        >
          Discover again
        </Button>
      </Group>
      {start.error === null ? null : <FaultNote error={start.error} />}
      {workflowId === undefined ? null : (
        <Discovered
          key={workflowId}
          sourceId={source.source_id}
          workflowId={workflowId}
          close={() => setWorkflowId(undefined)}
        />
      )}
    </Stack>
  );
}

function Discovered({ sourceId, workflowId, close }: { sourceId: string; workflowId: string; close(): void }) {
  const status = useRead(
    getDiscoveryStatus,
    { params: { workflow_id: workflowId } },
    { again: (answer) => (answer?.is_terminal ? false : LOOK_AGAIN_MS) },
  );
  const rehearsal = useChange(refreshSchema);
  const apply = useChange(refreshSchema);
  const succeeded = status.data?.status === 'succeeded';
  const input = { params: { source_id: sourceId }, body: { workflow_id: workflowId } };
  const { mutate: rehearse } = rehearsal;
  useEffect(() => {
    if (succeeded)
      rehearse({ params: { source_id: sourceId }, body: { workflow_id: workflowId }, query: { dry_run: true } });
  }, [succeeded, rehearse, sourceId, workflowId]);
  const error = status.error ?? rehearsal.error;
  if (error !== null) return <FaultNote error={error} />;
  if (status.data === undefined) return null;
  if (!status.data.is_terminal) return <OpenDiscovery status={status.data} />;
  const { failure } = status.data;
  if (failure !== null)
    return (
      <FailureNote failure={failure} title="Discovery failed">
        <CorrectLink sourceId={sourceId} failure={failure} />
      </FailureNote>
    );
  if (rehearsal.data === undefined) return null;
  const isSame = [rehearsal.data.added, rehearsal.data.changed, rehearsal.data.removed].every(
    (list) => list.length === 0,
  );
  return (
    <Dialog onClose={close} size="lg" title="What the source has now">
      <Stack>
        <DiscoveryWarnings warnings={rehearsal.data.warnings} />
        {isSame ? <Text>Nothing has changed.</Text> : <Difference diff={rehearsal.data} />}
        <Text size="sm" c="dimmed">
          Modes, cursors, keys and what is enabled stay. New streams arrive disabled. Tables stay.
        </Text>
        {apply.error === null ? null : <FaultNote error={apply.error} />}
        <Group>
          <Button variant="default" onClick={close} data-autofocus>
            Change nothing
          </Button>
          {isSame ? null : (
            <Button loading={apply.isPending} onClick={() => apply.mutate(input, { onSuccess: close })}>
              Apply
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

const labelOf = ({ namespace, name }: { namespace: string | null; name: string }) =>
  namespace === null ? name : `${namespace}.${name}`;

/** What is added, changed and removed, each by its name. */
function Difference({ diff: { added, changed, removed, needs_attention: attention } }: { diff: RefreshDiffView }) {
  return (
    <Stack gap="sm">
      <Named title={`${counted(added.length, 'stream')} added`} names={added.map(labelOf)} />
      {changed.length === 0 ? null : (
        <section>
          <Title order={3} size="sm">
            {counted(changed.length, 'stream')} changed
          </Title>
          <List size="sm">
            {changed.map((stream) => (
              <List.Item key={stream.stream_id}>
                {labelOf(stream)}
                {stream.fields.map((field) => (
                  <Text size="sm" key={field.path.join('.')}>
                    <Code>{field.path.join('.')}</Code> {field.change}: {field.from ?? 'absent'} →{' '}
                    {field.to ?? 'absent'}
                  </Text>
                ))}
              </List.Item>
            ))}
          </List>
        </section>
      )}
      <Named title={`${counted(removed.length, 'stream')} removed`} names={removed.map(labelOf)} />
      <Named title={`${counted(attention.length, 'stream')} would need attention`} names={attention.map(labelOf)} />
    </Stack>
  );
}

function Named({ title, names }: { title: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <section>
      <Title order={3} size="sm">
        {title}
      </Title>
      <List size="sm">
        {names.map((name) => (
          <List.Item key={name}>{name}</List.Item>
        ))}
      </List>
    </section>
  );
}
