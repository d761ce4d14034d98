import { Stack, Table, Title } from '@mantine/core';
import { getSyncRun, type SyncRunView } from '@weir/plugin-ontology/contract';
import type { RunView } from '@weir/plugin-runs/contract';
import { useRead } from '../../api/queries.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { counted, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { modeWords, shortFingerprint } from './sync-words.tsx';

const LIVE_MS = 1_500;

/** What a sync of entities read, decided and wrote, with the jobs that it gave to the store. */
export function EntitySyncFacts({ run }: { run: RunView }) {
  const params = { backing_dataset_id: run.subject.id, run_id: run.run_id };
  const query = useRead(getSyncRun, { params }, { again: () => (run.is_terminal ? false : LIVE_MS) });
  return (
    <Region query={query} lines={2}>
      {(sync) => (
        <Stack gap="md">
          <Facts sync={sync} />
          {sync.bulk_jobs?.length ? <Jobs jobs={sync.bulk_jobs} /> : null}
        </Stack>
      )}
    </Region>
  );
}

function Facts({ sync }: { sync: SyncRunView }) {
  const { counts, snapshot_id_exact: snapshot, previous_snapshot_id_exact: previous } = sync;
  const { attempted_sync_spec_fingerprint: attempted, applied_sync_spec_fingerprint: applied } = sync;
  return (
    <>
      <FactList
        facts={[
          ['What it read', modeWords(sync)],
          ['Rows read', countText(counts.read)],
          ['Entities written', countText(counts.upserted)],
          ['Deleted', countText(counts.deleted)],
          ['Unchanged', countText(counts.unchanged)],
          ['Rows rejected', countText(counts.rejected)],
        ]}
      />
      <FactList
        facts={[
          ['Snapshot', <Mono key="now" text={snapshot ?? 'none'} />],
          ['The one before', <Mono key="before" text={previous ?? 'none'} />],
          ['It attempted', <Fingerprint key="attempted" text={attempted} />],
          ['Applied after it', <Fingerprint key="applied" text={applied} />],
          ['Contract', String(sync.contract)],
        ]}
      />
    </>
  );
}

const Mono = ({ text }: { text: string }) => <span className="mono-id">{text}</span>;
const Fingerprint = ({ text }: { text: string | null | undefined }) =>
  text == null ? (
    '–'
  ) : (
    <span className="mono-id" title={text}>
      {shortFingerprint(text)}
    </span>
  );

function Jobs({ jobs }: { jobs: NonNullable<SyncRunView['bulk_jobs']> }) {
  return (
    <section aria-labelledby="jobs">
      <Title order={2} id="jobs" mb="sm">
        Jobs of the store
      </Title>
      <LongTable
        label="Table of jobs"
        minWidth={520}
        spacing={6}
        head={
          <>
            <Table.Th>Job</Table.Th>
            <Table.Th w={120}>Operation</Table.Th>
            <Table.Th w={130} ta="right">
              Submitted
            </Table.Th>
            <Table.Th w={130} ta="right">
              Completed
            </Table.Th>
          </>
        }
        rows={jobs}
        keyOf={({ job_id: id }) => id}
        foot={counted(jobs.length, 'job')}
      >
        {({ job_id: id, operation, submitted_count: submitted, completed_count: completed }) => (
          <>
            <Table.Td className="mono-id">{id}</Table.Td>
            <Table.Td>{operation}</Table.Td>
            <Table.Td ta="right">{countText(submitted)}</Table.Td>
            <Table.Td ta="right">{countText(completed)}</Table.Td>
          </>
        )}
      </LongTable>
    </section>
  );
}
