import { Button, Stack, Table, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  activatePipeline,
  listVersions,
  type PipelineVersionView,
  type PipelineView,
  readDifference,
} from '@weir/plugin-pipelines/contract';
import { useChange, useRead } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { useMay } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';

const PAGE = 50;

/** The versions of a pipeline, what one has that the one before had not, and the way back to one. */
export function VersionsTab({ pipeline }: { pipeline: PipelineView }) {
  const pages = useReadPages(listVersions, {
    params: { pipeline_id: pipeline.pipeline_id },
    query: { limit: PAGE },
  });
  return (
    <Region
      query={pages}
      empty={([first]) =>
        first?.items.length === 0
          ? { words: 'No version yet. Activating a pipeline that was rehearsed makes one.' }
          : undefined
      }
    >
      {(all) => <Versions pipeline={pipeline} versions={all.flatMap(({ items }) => items)} pages={pages} />}
    </Region>
  );
}

interface VersionsProps {
  pipeline: PipelineView;
  versions: readonly PipelineVersionView[];
  pages: Pages;
}

function Versions({ pipeline, versions, pages }: VersionsProps) {
  const search = useSearch({ from: '/pipelines/$pipelineId' });
  const mayActivate = useMay(activatePipeline);
  const activate = useChange(activatePipeline);
  const chosen = search.version === undefined ? undefined : Number(search.version);
  const params = { pipeline_id: pipeline.pipeline_id };
  return (
    <Stack gap="lg">
      {activate.error === null ? null : <FaultNote error={activate.error} />}
      <LongTable
        label="Versions"
        minWidth={680}
        head={
          <>
            <Table.Th w={130}>Version</Table.Th>
            <Table.Th>Steps</Table.Th>
            <Table.Th>Note</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th>
              <span className="unseen">Actions</span>
            </Table.Th>
          </>
        }
        rows={versions}
        keyOf={({ version }) => version}
        pages={pages}
        moreWords="Show older versions"
        foot={counted(versions.length, 'version')}
      >
        {(row) => (
          <VersionRow
            row={row}
            activate={
              mayActivate && !row.active ? () => activate.mutate({ params, body: { version: row.version } }) : undefined
            }
          />
        )}
      </LongTable>
      {chosen === undefined || chosen < 2 ? null : <Difference pipelineId={pipeline.pipeline_id} version={chosen} />}
    </Stack>
  );
}

function VersionRow({ row, activate }: { row: PipelineVersionView; activate: (() => void) | undefined }) {
  const navigate = useNavigate({ from: '/pipelines/$pipelineId' });
  const { version, active, steps, note, created_at: at, created_by: by } = row;
  return (
    <>
      <Table.Td>
        {version}
        {active ? (
          <Text size="sm" span c="var(--weir-good)">
            {' '}
            · active
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td>{counted(steps.length, 'step')}</Table.Td>
      <Table.Td>{note ?? '–'}</Table.Td>
      <Table.Td>
        <ShowTime at={at} size="sm" />
      </Table.Td>
      <Table.Td>{by}</Table.Td>
      <Table.Td ta="right">
        <Button.Group style={{ justifyContent: 'flex-end' }}>
          {version === 1 ? null : (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Changes of version ${version}`}
              onClick={() =>
                void navigate({ search: (before) => ({ ...before, version: String(version) }), replace: true })
              }
            >
              Changes
            </Button>
          )}
          {activate === undefined ? null : (
            <Button size="compact-sm" variant="default" aria-label={`Activate version ${version}`} onClick={activate}>
              Activate
            </Button>
          )}
        </Button.Group>
      </Table.Td>
    </>
  );
}

/** What a version changed of the one before it. */
function Difference({ pipelineId, version }: { pipelineId: string; version: number }) {
  const query = useRead(readDifference, {
    params: { pipeline_id: pipelineId, version: version - 1 },
    query: { to: version },
  });
  return (
    <section aria-labelledby="difference">
      <Title order={2} id="difference" mb="sm">
        What version {version} changed
      </Title>
      <Region query={query}>
        {({ same, publish, steps }) => (
          <ul>
            {same ? <li>Nothing: both are the same.</li> : null}
            {publish === null ? null : (
              <li>Tables change {publish.to === 'together' ? 'together now' : 'one by one now'}.</li>
            )}
            {steps.map(({ step_id: id, change, members }) => (
              <li key={id}>
                {id} {change}
                {members.length === 0 ? '' : `: ${members.map((one) => one.replaceAll('_', ' ')).join(', ')}`}
              </li>
            ))}
          </ul>
        )}
      </Region>
    </section>
  );
}
