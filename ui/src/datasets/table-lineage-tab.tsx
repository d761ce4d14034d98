import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { DATASET_LAYERS, type listDatasets } from '@weir/plugin-datasets/contract';
import { listArtifacts, listTransforms } from '@weir/plugin-transforms/contract';
import { useMemo } from 'react';
import type { Dataset } from '../api/dataset-shapes.ts';
import { useRead } from '../api/queries.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { WideBox } from '../parts/wide-box.tsx';
import { LayerWord } from './layer-word.tsx';
import { type LineageEdge, type LineageStep, lineageSteps } from './lineage-steps.ts';
import './datasets.css';

const MAX_LOOKED_AT = 500;
const DEPTHS = ['1', '2', '3'] as const;

/** The tables that a table comes from and those that come from it, by how many transforms are between. */
export function TableLineageTab({ dataset }: { dataset: Dataset }) {
  const { depth = '1' } = useSearch({ from: '/datasets/$datasetId' });
  const navigate = useNavigate({ from: '/datasets/$datasetId' });
  const transforms = useRead(listTransforms, { query: { limit: MAX_LOOKED_AT } });
  const artifacts = useRead(listArtifacts, { query: { limit: MAX_LOOKED_AT } });
  const edges = useMemo(
    () => edgesOf(transforms.data?.items ?? [], artifacts.data?.items ?? []),
    [transforms.data, artifacts.data],
  );
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label="Transforms between"
          data={DEPTHS.map((value) => ({ value, label: counted(Number(value), 'step') }))}
          value={depth}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, depth: value }), replace: true })}
        />
      </Group>
      <Region query={transforms}>
        {() => (
          <Region query={artifacts}>
            {({ next_page_token }) => (
              <>
                <Neighbourhood dataset={dataset} edges={edges} depth={Number(depth)} />
                {next_page_token === null ? null : (
                  <Text size="sm" c="dimmed">
                    Of the {MAX_LOOKED_AT} newest artifacts.
                  </Text>
                )}
              </>
            )}
          </Region>
        )}
      </Region>
    </Stack>
  );
}

type Transforms = Output<typeof listTransforms>['items'];
type Artifacts = Output<typeof listArtifacts>['items'];

function edgesOf(transforms: Transforms, artifacts: Artifacts): LineageEdge[] {
  const inputsOf = new Map(artifacts.map(({ artifact_id, inputs }) => [artifact_id, inputs]));
  return transforms.flatMap(({ transform_id: transformId, name, output, artifact_id: id }) => {
    const inputs = id === null ? undefined : inputsOf.get(id);
    return inputs === undefined ? [] : [{ transformId, name, inputs, output }];
  });
}

const named = (where: string) => (steps: LineageStep[], i: number) =>
  [`${counted(i + 1, 'step')} ${where}`, steps] as const;

interface NeighbourhoodProps {
  dataset: Dataset;
  edges: readonly LineageEdge[];
  depth: number;
}

function Neighbourhood({ dataset, edges, depth }: NeighbourhoodProps) {
  const before = lineageSteps(dataset.dataset_id, edges, { side: 'before', depth });
  const after = lineageSteps(dataset.dataset_id, edges, { side: 'after', depth });
  return (
    <WideBox label="Lineage">
      <div className="table-lineage" style={{ padding: '1rem' }}>
        {before
          .map(named('before'))
          .toReversed()
          .map(([label, steps]) => (
            <Column key={label} label={label} steps={steps} />
          ))}
        <div className="lineage-column">
          <Text size="sm" c="dimmed">
            This table
          </Text>
          <div className="panel lineage-table" data-here="true">
            <LayerWord layer={dataset.layer} /> <span className="mono-id">{dataset.dataset_id}</span>
            <Made dataset={dataset} isRoot={before.length === 0} />
          </div>
        </div>
        {after.map(named('after')).map(([label, steps]) => (
          <Column key={label} label={label} steps={steps} />
        ))}
      </div>
      {after.length === 0 ? (
        <Text size="sm" c="dimmed" px="md" pb="md">
          No hydrated transform reads this table.
        </Text>
      ) : null}
    </WideBox>
  );
}

/** Where a table begins that no transform writes. */
function Made({ dataset: { producer }, isRoot }: { dataset: Dataset; isRoot: boolean }) {
  if (!isRoot || producer?.kind !== 'source') return null;
  return (
    <Text size="sm">
      from{' '}
      <Anchor
        inherit
        underline="always"
        renderRoot={(props) => <Link to="/sources/$sourceId" params={{ sourceId: producer.id }} {...props} />}
      >
        a source
      </Anchor>
    </Text>
  );
}

function Column({ label, steps }: { label: string; steps: readonly LineageStep[] }) {
  return (
    <section className="lineage-column" aria-label={label}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {steps.map(({ datasetId, via }) => (
        <div key={datasetId} className="panel lineage-table">
          <LayerWord layer={layerOf(datasetId)} />{' '}
          <Anchor
            inherit
            data-row
            underline="always"
            renderRoot={(props) => (
              <Link to="/datasets/$datasetId" params={{ datasetId }} search={{ tab: 'lineage' }} {...props} />
            )}
          >
            <span className="mono-id">{datasetId}</span>
          </Anchor>
          <Text size="sm">
            through{' '}
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => (
                <Link
                  to="/transforms/$transformId"
                  params={{ transformId: via.transformId }}
                  search={{ tab: 'lineage' }}
                  {...props}
                />
              )}
            >
              {via.name}
            </Anchor>
          </Text>
        </div>
      ))}
    </section>
  );
}

type Layer = Output<typeof listDatasets>['items'][number]['layer'];
const layerOf = (datasetId: string): Layer =>
  DATASET_LAYERS.find((layer) => datasetId.startsWith(`${layer}.`)) ?? DATASET_LAYERS[0];
