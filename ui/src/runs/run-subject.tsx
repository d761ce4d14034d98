import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { RunView } from '@weir/plugin-runs/contract';

/** What a run is about, linked where there is a page of it. */
export function RunSubject({ subject: { kind, id, name } }: { subject: RunView['subject'] }) {
  if (name === null) return <Text inherit>{kind.replaceAll('_', ' ')}</Text>;
  if (kind === 'source')
    return (
      <Anchor inherit renderRoot={(props) => <Link to="/sources/$sourceId" params={{ sourceId: id }} {...props} />}>
        {name}
      </Anchor>
    );
  if (kind === 'transform')
    return (
      <Anchor
        inherit
        renderRoot={(props) => <Link to="/transforms/$transformId" params={{ transformId: id }} {...props} />}
      >
        {name}
      </Anchor>
    );
  if (kind === 'pipeline')
    return (
      <Anchor
        inherit
        renderRoot={(props) => <Link to="/pipelines/$pipelineId" params={{ pipelineId: id }} {...props} />}
      >
        {name}
      </Anchor>
    );
  if (kind === 'backing-dataset')
    return (
      <Anchor
        inherit
        renderRoot={(props) => <Link to="/ontology/backing/$backingId" params={{ backingId: id }} {...props} />}
      >
        {name}
      </Anchor>
    );
  if (kind === 'dataset')
    return (
      <Anchor
        inherit
        renderRoot={(props) => (
          <Link to="/datasets/$datasetId" params={{ datasetId: name }} search={{ tab: 'health' }} {...props} />
        )}
      >
        {name}
      </Anchor>
    );
  return <Text inherit>{name}</Text>;
}
