import { Anchor, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { getDataset, listDatasetSnapshots } from '@weir/plugin-datasets/contract';
import { getLineage } from '@weir/plugin-lineage/contract';
import { listTransforms, runQuery } from '@weir/plugin-transforms/contract';
import { Clock } from 'lucide-react';
import type { Dataset } from '../api/dataset-shapes.ts';
import { ProblemError } from '../api/problem-error.ts';
import { useRead } from '../api/queries.ts';
import { LayerWord } from '../lineage/layer-word.tsx';
import { TableLineageTab } from '../lineage/table-lineage-tab.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { bytesText, counted, countText } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { sqlHash } from '../query/sql-hash.ts';
import { useMay } from '../session/person.ts';
import { WhoChanged } from '../session/who-changed.tsx';
import { useHasPlugin } from '../session/with-plugin.tsx';
import { HealthTab } from './health-tab.tsx';
import { OpenElsewhere } from './open-elsewhere.tsx';
import { PreviewTab } from './preview-tab.tsx';
import { QuarantineTab } from './quarantine-tab.tsx';
import { SchemaTab } from './schema-tab.tsx';
import { SnapshotsTab } from './snapshots/snapshots-tab.tsx';
import { useSnapshotKeys } from './snapshots/use-snapshot-keys.ts';
import { UsedByTab } from './used-by-tab.tsx';
import './datasets.css';

const TABS = [
  ['preview', 'Preview'],
  ['schema', 'Schema'],
  ['snapshots', 'Snapshots'],
  ['lineage', 'Lineage'],
  ['health', 'Health'],
  ['quarantine', 'Quarantine'],
  ['used', 'Used by'],
  ['elsewhere', 'Open elsewhere'],
] as const;

/** One table: its rows, schema and history, and where else it can be read. */
export function DatasetPage() {
  const { datasetId } = useParams({ from: '/datasets/$datasetId' });
  const query = useRead(getDataset, { params: { dataset_id: datasetId } });
  return (
    <>
      {query.data === undefined ? <PageHead title={datasetId} /> : null}
      {query.data === undefined && isAbsent(query.error) ? (
        <AbsentTable datasetId={datasetId} />
      ) : (
        <Region query={query}>{(dataset) => <Shown dataset={dataset} />}</Region>
      )}
    </>
  );
}

const ABSENT = 404;
const isAbsent = (error: Error | null) => error instanceof ProblemError && error.problem.status === ABSENT;

/** Pages link to tables that are still to be written, such as that of a transform that never succeeded. */
function AbsentTable({ datasetId }: { datasetId: string }) {
  const { data } = useRead(listTransforms, { query: { output: datasetId } });
  const writer = data?.items[0];
  return (
    <Stack gap="sm" align="flex-start" p="md" className="panel" role="status">
      <Text size="sm" className="type-text">
        {writer === undefined
          ? 'This table is not there, or you may not see it. A table is there once its first rows are written.'
          : 'This table is not there yet: it is made by the first run of its transform that succeeds.'}
      </Text>
      {writer === undefined ? (
        <Anchor size="sm" renderRoot={(props) => <Link to="/datasets" {...props} />}>
          All tables
        </Anchor>
      ) : (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/transforms/$transformId" params={{ transformId: writer.transform_id }} {...props} />
          )}
        >
          {writer.name}
        </Anchor>
      )}
    </Stack>
  );
}

function Shown({ dataset }: { dataset: Dataset }) {
  const search = useSearch({ from: '/datasets/$datasetId' });
  const navigate = useNavigate({ from: '/datasets/$datasetId' });
  const mayQuery = useMay(runQuery);
  const hasSchemas = useHasPlugin()('schema-registry') === true;
  useSnapshotKeys(dataset.dataset_id);
  const show = (next: string | null) =>
    void navigate({ search: ({ snapshot }) => ({ tab: next ?? undefined, snapshot }) });
  return (
    <Stack gap="md">
      <div>
        <PageHead title={dataset.table} beside={<LayerWord layer={dataset.layer} />}>
          {hasSchemas ? (
            <Button
              variant="default"
              renderRoot={(props) => <Link to="/schemas/check" search={{ dataset: dataset.dataset_id }} {...props} />}
            >
              Check against a schema
            </Button>
          ) : null}
          {mayQuery ? (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link to="/query" hash={sqlHash(`select *\nfrom ${dataset.dataset_id}\nlimit 100`)} {...props} />
              )}
            >
              Open in SQL
            </Button>
          ) : null}
        </PageHead>
        <Group gap="xs" mt={-8}>
          <span className="mono-id">{dataset.dataset_id}</span>
          <CopyText text={dataset.dataset_id} what="dataset id" />
          <WhoChanged id={dataset.dataset_id} />
        </Group>
      </div>
      <Health dataset={dataset} />
      {search.snapshot === undefined || search.snapshot === dataset.snapshot_id ? null : (
        <AsItWas datasetId={dataset.dataset_id} snapshot={search.snapshot} />
      )}
      <DatasetTabs tab={search.tab ?? 'preview'} show={show} dataset={dataset} snapshot={search.snapshot} />
    </Stack>
  );
}

interface DatasetTabsProps {
  tab: (typeof TABS)[number][0];
  show(tab: string | null): void;
  dataset: Dataset;
  snapshot: string | undefined;
}

function DatasetTabs({ tab, show, dataset, snapshot }: DatasetTabsProps) {
  return (
    <Tabs value={tab} onChange={show} keepMounted={false}>
      <Tabs.List mb="md">
        {TABS.map(([value, label]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="preview">
        <PreviewTab dataset={dataset} />
      </Tabs.Panel>
      <Tabs.Panel value="schema">
        <SchemaTab dataset={dataset} />
      </Tabs.Panel>
      <Tabs.Panel value="snapshots">
        <SnapshotsTab dataset={dataset} />
      </Tabs.Panel>
      <Tabs.Panel value="lineage">
        <TableLineageTab dataset={dataset} />
      </Tabs.Panel>
      <Tabs.Panel value="health">
        <HealthTab datasetId={dataset.dataset_id} />
      </Tabs.Panel>
      <Tabs.Panel value="quarantine">
        <QuarantineTab datasetId={dataset.dataset_id} />
      </Tabs.Panel>
      <Tabs.Panel value="used">
        <UsedByTab dataset={dataset} />
      </Tabs.Panel>
      <Tabs.Panel value="elsewhere">
        <OpenElsewhere dataset={dataset} snapshot={snapshot} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** Size, files and age of the newest snapshot. */
function Health({ dataset }: { dataset: Dataset }) {
  const { total_records: rows, total_bytes: bytes, total_data_files: files, updated_at: at } = dataset;
  const mean = files === null || files === 0 || bytes === null ? undefined : Number(bytes) / files;
  const parts = dataset.partition_spec.map(({ column, transform }) =>
    transform === 'identity' ? column : `${transform}(${column})`,
  );
  return (
    <FactList
      facts={[
        ['Rows', rows === null ? '–' : countText(Number(rows))],
        ['Size', bytes === null ? '–' : bytesText(Number(bytes))],
        [
          'Data files',
          files === null
            ? '–'
            : `${countText(files)}${files < 2 || mean === undefined ? '' : ` of ${bytesText(mean)}`}`,
        ],
        ['Columns', countText(dataset.columns_count ?? 0)],
        ['Partitioned by', parts.length === 0 ? 'nothing' : parts.join(', ')],
        ['Last commit', at === null ? 'none yet' : <ShowTime key="at" at={at} />],
        ['Made by', <Producer key="by" dataset={dataset} />],
      ]}
    />
  );
}

/** By its name, while it is in force. */
function Producer({ dataset: { dataset_id, producer } }: { dataset: Dataset }) {
  const lineage = useRead(getLineage, { query: { dataset_id, direction: 'upstream', depth: 1 } });
  if (producer === null) return '–';
  const { kind, id } = producer;
  const name = lineage.data?.nodes.find((node) => node.dataset_id === dataset_id)?.made_by?.name;
  if (kind === 'source')
    return (
      <Anchor inherit renderRoot={(props) => <Link to="/sources/$sourceId" params={{ sourceId: id }} {...props} />}>
        {name ?? 'a source'}
      </Anchor>
    );
  if (kind === 'transform')
    return (
      <Anchor
        inherit
        renderRoot={(props) => <Link to="/transforms/$transformId" params={{ transformId: id }} {...props} />}
      >
        {name ?? 'a transform'}
      </Anchor>
    );
  return kind.replaceAll('_', ' ');
}

/** Says that an older snapshot is shown, and leads back. */
function AsItWas({ datasetId, snapshot }: { datasetId: string; snapshot: string }) {
  const list = useRead(listDatasetSnapshots, { params: { dataset_id: datasetId }, query: { limit: 500 } });
  const found = list.data?.items.find(({ snapshot_id_exact: id }) => id === snapshot);
  return (
    <Group className="panel as-it-was" px="md" py="xs" gap="sm" role="status">
      <Clock size={16} aria-hidden />
      <Text size="sm">
        Shown as it was at snapshot <span className="mono-id">{snapshot}</span>
        {found === undefined ? null : (
          <>
            , <ShowTime at={found.committed_at} inherit />
            {found.total_records === null ? '' : `, ${counted(Number(found.total_records), 'row')}`}
          </>
        )}
      </Text>
      <Anchor
        size="sm"
        underline="always"
        renderRoot={(props) => (
          <Link
            to="/datasets/$datasetId"
            params={{ datasetId }}
            search={({ tab }: { tab?: string }) => (tab === undefined ? {} : { tab })}
            {...props}
          />
        )}
      >
        Back to the newest
      </Anchor>
    </Group>
  );
}
