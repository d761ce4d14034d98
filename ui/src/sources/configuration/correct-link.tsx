import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { getPattern, getSource, type SyncRunView, updateSource } from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { type SchemaNode, titleOf } from '../../form/schema-node.ts';
import { useMay } from '../../session/person.ts';
import { fieldAtFault } from './field-at-fault.ts';

type Failure = NonNullable<SyncRunView['failure']>;

/** Leads from a failure to the field of the configuration that is wrong, where it is one. */
export function CorrectLink({ sourceId, failure }: { sourceId: string; failure: Failure }) {
  const mayChange = useMay(updateSource);
  const source = useRead(getSource, { params: { source_id: sourceId } }, { enabled: mayChange });
  const patternId = source.data?.pattern_id ?? '';
  const pattern = useRead(getPattern, { params: { pattern_id: patternId } }, { enabled: patternId !== '' });
  if (!mayChange || pattern.data === undefined) return null;
  const spec = pattern.data.spec as SchemaNode;
  const field = fieldAtFault(failure, spec);
  if (field === undefined) return null;
  const name = field.slice(1);
  const node = spec.properties?.[name];
  return (
    <Button
      size="compact-sm"
      variant="default"
      renderRoot={(props) => (
        <Link
          to="/sources/$sourceId"
          params={{ sourceId }}
          search={{ tab: 'configuration', show: 'edit', ...(field !== '' && { field }) }}
          {...props}
        />
      )}
    >
      {node === undefined ? 'Correct the configuration' : `Correct “${titleOf(name, node)}”`}
    </Button>
  );
}
