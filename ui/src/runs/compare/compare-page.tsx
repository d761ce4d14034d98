import { Anchor, Stack, Switch, Table, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { getRun, type RunView } from '@weir/plugin-runs/contract';
import { getSyncRun } from '@weir/plugin-sources/contract';
import { getTransformRun } from '@weir/plugin-transforms/contract';
import { useRead } from '../../api/queries.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Empty, Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { kindWord } from '../run-kinds.ts';
import { RunSubject } from '../run-subject.tsx';
import { type Compared, comparedRuns, comparedSyncs, comparedTransforms } from './run-difference.ts';

/** Two runs side by side, the earlier one first; the address names both. */
export function ComparePage() {
  const { one, other } = useSearch({ from: '/runs/compare' });
  if (one === undefined || other === undefined)
    return (
      <>
        <PageHead title="Compare two runs" />
        <Empty words="Open a run and choose Compare with the one before." />
      </>
    );
  return <TwoRuns ids={[one, other]} />;
}

function TwoRuns({ ids: [one, other] }: { ids: readonly [string, string] }) {
  const first = useRead(getRun, { params: { id: one } });
  const second = useRead(getRun, { params: { id: other } });
  return (
    <>
      <PageHead title="Compare two runs" />
      <Region query={first}>
        {(a) => (
          <Region query={second}>{(b) => <Difference runs={a.created_at <= b.created_at ? [a, b] : [b, a]} />}</Region>
        )}
      </Region>
    </>
  );
}

function Difference({ runs }: { runs: readonly [RunView, RunView] }) {
  const [earlier, later] = runs;
  const isOfOne = earlier.kind === later.kind && earlier.subject.id === later.subject.id;
  return (
    <Stack>
      <Text>
        {kindWord(later.kind)}: <RunSubject subject={later.subject} />
        {isOfOne ? '' : '. The two runs are of different things, so that only what every run has is compared.'}
      </Text>
      {isOfOne && later.kind === 'source-sync' ? (
        <Syncs runs={runs} />
      ) : isOfOne && later.kind === 'transform' ? (
        <Transforms runs={runs} />
      ) : (
        <Facts runs={runs} more={[]} />
      )}
    </Stack>
  );
}

function Syncs({ runs }: { runs: readonly [RunView, RunView] }) {
  const earlier = useRead(getSyncRun, { params: { workflow_id: runs[0].run_id } });
  const later = useRead(getSyncRun, { params: { workflow_id: runs[1].run_id } });
  return (
    <Region query={earlier}>
      {(a) => <Region query={later}>{(b) => <Facts runs={runs} more={comparedSyncs([a, b])} />}</Region>}
    </Region>
  );
}

function Transforms({ runs }: { runs: readonly [RunView, RunView] }) {
  const earlier = useRead(getTransformRun, { params: { run_id: runs[0].run_id } });
  const later = useRead(getTransformRun, { params: { run_id: runs[1].run_id } });
  return (
    <Region query={earlier}>
      {(a) => <Region query={later}>{(b) => <Facts runs={runs} more={comparedTransforms([a, b])} />}</Region>}
    </Region>
  );
}

function Facts({ runs, more }: { runs: readonly [RunView, RunView]; more: readonly Compared[] }) {
  const { all } = useSearch({ from: '/runs/compare' });
  const navigate = useNavigate({ from: '/runs/compare' });
  const facts = [...comparedRuns(runs), ...more];
  const changed = facts.filter(({ change }) => change !== '');
  const shown = all === 'yes' ? facts : changed;
  const same = facts.length - changed.length;
  return (
    <Stack gap="xs">
      <Switch
        label="Also what is the same"
        checked={all === 'yes'}
        onChange={(event) => {
          const isOn = event.currentTarget.checked;
          void navigate({ search: (before) => ({ ...before, all: isOn ? 'yes' : undefined }), replace: true });
        }}
      />
      <LongTable
        label="Differences"
        minWidth={640}
        head={
          <>
            <Table.Th>What</Table.Th>
            {runs.map((run) => (
              <Table.Th key={run.run_id}>
                <Anchor
                  inherit
                  renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: run.run_id }} {...props} />}
                >
                  <ShowTime at={run.created_at} how="clock" within />
                </Anchor>
              </Table.Th>
            ))}
            <Table.Th>Change</Table.Th>
          </>
        }
        rows={shown}
        keyOf={({ what }) => what}
        foot={same === 0 ? 'Nothing is the same in both.' : `${same} of ${facts.length} are the same in both.`}
      >
        {({ what, earlier, later, change }) => (
          <>
            <Table.Td>{what}</Table.Td>
            <Table.Td>{earlier}</Table.Td>
            <Table.Td>{later}</Table.Td>
            <Table.Td fw={560}>{change}</Table.Td>
          </>
        )}
      </LongTable>
    </Stack>
  );
}
