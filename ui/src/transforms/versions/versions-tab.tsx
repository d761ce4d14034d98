import { Button, Stack, Table, Text } from '@mantine/core';
import type { Output } from '@weir/kernel/contract';
import {
  type getTransformDetail,
  listTransformVersions,
  restoreTransformVersion,
  type TransformVersionFactsView,
} from '@weir/plugin-transforms/contract';
import { useState } from 'react';
import { useReadPages } from '../../api/read-pages.ts';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { useMay } from '../../session/person.ts';
import { LongTable } from '../../table/long-table.tsx';
import type { Pages } from '../../table/more-button.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { VersionDifference } from './version-difference.tsx';

type Detail = Output<typeof getTransformDetail>;
const PAGE = 50;

/** The definitions that were in force: what changed from one to the next, and the way back. */
export function VersionsTab({ detail }: { detail: Detail }) {
  const params = { transform_id: detail.transform_id };
  const pages = useReadPages(listTransformVersions, { params, query: { limit: PAGE } });
  return (
    <Region
      query={pages}
      empty={([first]) =>
        first?.items.length === 0
          ? { words: 'No version yet. The first one is made when the definition is put in force.' }
          : undefined
      }
    >
      {(all) => <Versions detail={detail} versions={all.flatMap(({ items }) => items)} pages={pages} />}
    </Region>
  );
}

interface VersionsProps {
  detail: Detail;
  versions: readonly TransformVersionFactsView[];
  pages: Pages;
}

function Versions({ detail, versions, pages }: VersionsProps) {
  const mayRestore = useMay(restoreTransformVersion);
  const [restoring, setRestoring] = useState<number>();
  const newest = versions[0]?.version ?? 0;
  return (
    <Stack gap="lg">
      <LongTable
        label="Versions"
        minWidth={680}
        head={
          <>
            <Table.Th w={130}>Version</Table.Th>
            <Table.Th>What changed</Table.Th>
            <Table.Th w={150}>Put in force</Table.Th>
            <Table.Th w={160}>By</Table.Th>
            <Table.Th w={110}>
              <span className="unseen">Restore</span>
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
          <VersionRow row={row} restore={mayRestore && !row.in_force ? () => setRestoring(row.version) : undefined} />
        )}
      </LongTable>
      <VersionDifference detail={detail} versions={versions} />
      {restoring === undefined ? null : (
        <RestoreDialog detail={detail} version={restoring} next={newest + 1} onClose={() => setRestoring(undefined)} />
      )}
    </Stack>
  );
}

interface VersionRowProps {
  row: TransformVersionFactsView;
  restore: (() => void) | undefined;
}

function VersionRow({ row, restore }: VersionRowProps) {
  const { version, in_force: isInForce, created_at: at, created_by: by, restored_from: from, changes } = row;
  const what = from === null ? changes : [`version ${from} restored`, ...changes];
  return (
    <>
      <Table.Td>
        <Text size="sm" fw={560} span>
          {version}
        </Text>
        {isInForce ? (
          <Text size="sm" span c="var(--weir-good)">
            {' '}
            · in force
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td>{what.length === 0 ? 'first version' : what.join(', ')}</Table.Td>
      <Table.Td>
        <ShowTime at={at} size="sm" />
      </Table.Td>
      <Table.Td>{by}</Table.Td>
      <Table.Td ta="right">
        {restore === undefined ? null : (
          <Button size="compact-sm" variant="default" aria-label={`Restore version ${version}`} onClick={restore}>
            Restore…
          </Button>
        )}
      </Table.Td>
    </>
  );
}
