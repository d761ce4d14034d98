import { Group, Select, Stack, Switch } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { getLineage, type LineageNodeView, type LineageView } from '@weir/plugin-lineage/contract';
import { useRead } from '../api/queries.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { LineageControls } from './lineage-controls.tsx';
import { LineagePicture, pageOf } from './lineage-picture.tsx';
import { lineageQuery } from './lineage-query.ts';
import { troubleOf } from './lineage-words.ts';

const MAX_OPTIONS = 500;

/** Every table of the tenant with what it comes from, or what is around one. */
export function LineagePage() {
  const { dataset, trouble, ...choice } = useSearch({ from: '/lineage' });
  const navigate = useNavigate({ from: '/lineage' });
  const around = dataset === undefined ? {} : { dataset_id: dataset, ...lineageQuery(choice) };
  const lineage = useRead(getLineage, { query: around }, { keep: true });
  const tables = useRead(listDatasets, { query: { limit: MAX_OPTIONS } });
  const change = (search: Record<string, string | undefined>) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true });
  return (
    <Stack gap="md">
      <PageHead title="Lineage" />
      <Group gap="sm">
        <Select
          aria-label="Around which table"
          placeholder="All tables"
          data={[
            ...new Set([
              ...(dataset === undefined ? [] : [dataset]),
              ...(tables.data?.items ?? []).map((one) => one.dataset_id),
            ]),
          ]}
          value={dataset ?? null}
          onChange={(value) => change({ dataset: value ?? undefined, column: undefined })}
          searchable
          clearable
          limit={100}
          w={320}
        />
        {dataset === undefined ? (
          <Switch
            label="Only what is behind or failed"
            checked={trouble === 'yes'}
            onChange={(event) => change({ trouble: event.currentTarget.checked ? 'yes' : undefined })}
          />
        ) : (
          <LineageControls datasetId={dataset} choice={choice} choose={(to) => change({ ...to })} />
        )}
      </Group>
      <Region query={lineage} empty={({ nodes }) => emptyWords(nodes)}>
        {(data) => (
          <LineagePicture
            lineage={trouble === 'yes' && dataset === undefined ? onlyTrouble(data) : data}
            column={dataset === undefined ? undefined : choice.column}
            linkTo={(node) =>
              node.kind === 'table' ? { to: '/lineage', search: { dataset: node.node_id } } : pageOf(node)
            }
          />
        )}
      </Region>
    </Stack>
  );
}

const emptyWords = (nodes: readonly LineageNodeView[]) =>
  nodes.length === 0
    ? {
        words: 'No table yet. Load something, and what is made of it shows here.',
        action: <Link to="/sources/load">Load files</Link>,
      }
    : undefined;

/** What is behind, failed or not made, and what leads straight to it. */
function onlyTrouble(lineage: LineageView): LineageView {
  const bad = new Set(lineage.nodes.filter((node) => troubleOf(node) !== undefined).map(({ node_id: id }) => id));
  const edges = lineage.edges.filter(({ to }) => bad.has(to));
  const shown = new Set([...bad, ...edges.map(({ from }) => from)]);
  return { ...lineage, nodes: lineage.nodes.filter(({ node_id: id }) => shown.has(id)), edges };
}
