import { Button, Group, List, Stack, Text } from '@mantine/core';
import { type DiscoveryStatusView, getDiscoveryStatus } from '@weir/plugin-sources/contract';
import { CheckCircle2 } from 'lucide-react';
import { useRead } from '../../api/queries.ts';
import { type SchemaNode, titleOf } from '../../form/schema-node.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ToneWord } from '../../parts/status-word.tsx';
import { OpenDiscovery } from '../create/discovery-result.tsx';
import { DiscoveryWarnings } from '../create/discovery-warnings.tsx';
import { fieldAtFault } from './field-at-fault.ts';

const LOOK_AGAIN_MS = 700;
const MAX_NAMED = 12;

interface TriedChangeProps {
  workflowId: string;
  schema: SchemaNode;
  /** Puts the cursor into the field of a pointer. */
  focus(pointer: string): void;
}

/** What a look at the source with changed values has shown. */
export function TriedChange({ workflowId, schema, focus }: TriedChangeProps) {
  const query = useRead(
    getDiscoveryStatus,
    { params: { workflow_id: workflowId } },
    { again: (status) => (status?.is_terminal ? false : LOOK_AGAIN_MS) },
  );
  return (
    <Region query={query}>
      {(status) => {
        if (!status.is_terminal) return <OpenDiscovery status={status} />;
        if (status.failure === null) return <Works status={status} />;
        const field = fieldAtFault(status.failure, schema);
        return (
          <FailureNote failure={status.failure} title="The source cannot be read with these values">
            {field === undefined || field === '' ? null : (
              <Button size="compact-sm" variant="default" onClick={() => focus(field)}>
                Go to “{titleOf(field.slice(1), schema.properties?.[field.slice(1)] ?? {})}”
              </Button>
            )}
          </FailureNote>
        );
      }}
    </Region>
  );
}

function Works({ status: { streams, warnings } }: { status: DiscoveryStatusView }) {
  const found = streams ?? [];
  return (
    <Stack p="md" gap="sm" className="panel" role="status">
      <Group gap="sm">
        <ToneWord icon={CheckCircle2} tone="good" word="It works" />
        <Text size="sm">{counted(found.length, 'stream')} found. Nothing is saved yet.</Text>
      </Group>
      <List size="sm">
        {found.slice(0, MAX_NAMED).map(({ namespace, name }) => (
          <List.Item key={`${namespace} ${name}`}>{namespace === null ? name : `${namespace}.${name}`}</List.Item>
        ))}
        {found.length > MAX_NAMED ? <List.Item>and {found.length - MAX_NAMED} more</List.Item> : null}
      </List>
      <DiscoveryWarnings warnings={warnings} />
    </Stack>
  );
}
