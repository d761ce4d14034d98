import { Alert, Anchor, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  type BackingDatasetView,
  changeBackingDataset,
  getBackingDataset,
  getSyncCapabilities,
  listPendingSyncs,
  listSyncRuns,
  syncBackingDataset,
} from '@weir/plugin-ontology/contract';
import { RefreshCw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { readAgain, useChange, useRead } from '../../api/queries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { RunLink } from '../../runs/run-link.tsx';
import { useMay } from '../../session/person.ts';
import { REASON_WORDS, StateWord } from '../sync/sync-words.tsx';
import { WithOntology } from '../with-ontology.tsx';
import { BackingHealth } from './backing-health.tsx';
import { BackingOverview } from './backing-overview.tsx';
import { DeleteBacking } from './delete-backing.tsx';
import { SyncHistory } from './sync-history.tsx';
import '../ontology.css';

/** How often a run that is open is looked at. */
const LIVE_MS = 1_500;
const MAX_PENDING = 500;
/** Id of the words that say why nothing can be forced. */
const FORCE_NOTE = 'force-note';

/** One backing dataset: what fills the type, what is applied of it, and its syncs. */
export function BackingPage() {
  const { backingId } = useParams({ from: '/ontology/backing/$backingId' });
  return (
    <WithOntology title="Backing dataset">
      <Loaded key={backingId} backingId={backingId} />
    </WithOntology>
  );
}

function Loaded({ backingId }: { backingId: string }) {
  const query = useRead(
    getBackingDataset,
    { params: { backing_dataset_id: backingId } },
    { again: (backing) => (backing?.state === 'syncing' ? LIVE_MS : false) },
  );
  return (
    <>
      {query.data === undefined ? <PageHead title="Backing dataset" /> : null}
      <Region query={query}>{(backing) => <Shown backing={backing} />}</Region>
    </>
  );
}

function Shown({ backing }: { backing: BackingDatasetView }) {
  const { tab = 'overview' } = useSearch({ from: '/ontology/backing/$backingId' });
  const navigate = useNavigate({ from: '/ontology/backing/$backingId' });
  const queries = useQueryClient();
  const seen = useRef(backing.state);
  useEffect(() => {
    // With the end of a sync its history, the health and the entities are others.
    if (seen.current !== backing.state) void readAgain(queries, 'ontology');
    seen.current = backing.state;
  }, [backing.state, queries]);
  return (
    <Stack gap="md">
      <div>
        <PageHead title={backing.name} beside={<StateWord state={backing.state} />}>
          <ChangeLink backing={backing} />
          <DeleteBacking backing={backing} />
        </PageHead>
        <Text size="sm" mt={-8} className="type-text">
          <Anchor
            inherit
            renderRoot={(props) => (
              <Link to="/datasets/$datasetId" params={{ datasetId: backing.dataset_id }} {...props} />
            )}
          >
            <span className="mono-id">{backing.dataset_id}</span>
          </Anchor>{' '}
          fills{' '}
          <Anchor
            inherit
            renderRoot={(props) => (
              <Link
                to="/ontology/types/$code"
                params={{ code: backing.entity_type_code }}
                search={{ tab: 'entities' }}
                {...props}
              />
            )}
          >
            {backing.entity_type_code}
          </Anchor>{' '}
          by its version {backing.entity_type_version}.
        </Text>
      </div>
      <SyncBar backing={backing} />
      <Why backing={backing} />
      <Tabs value={tab} onChange={(next) => void navigate({ search: { tab: next ?? 'overview' } })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
          <Tabs.Tab value="health">Health</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="overview">
          <BackingOverview backing={backing} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <SyncHistory backing={backing} />
        </Tabs.Panel>
        <Tabs.Panel value="health">
          <BackingHealth backing={backing} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function ChangeLink({ backing: { backing_dataset_id: backingId } }: { backing: BackingDatasetView }) {
  if (!useMay(changeBackingDataset)) return null;
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/ontology/backing/$backingId/mapping" params={{ backingId }} {...props} />}
    >
      Change the mapping
    </Button>
  );
}

/** Starts a sync; a forced one only where new syncs can do that. */
function SyncBar({ backing: { backing_dataset_id, state } }: { backing: BackingDatasetView }) {
  const maySync = useMay(syncBackingDataset);
  const sync = useChange(syncBackingDataset);
  const capabilities = useRead(getSyncCapabilities, {}, { enabled: maySync });
  const canForce = capabilities.data?.supports_force_replay === true;
  const isOpen = state === 'syncing';
  if (!maySync) return null;
  const start = (force: boolean) => sync.mutate({ params: { backing_dataset_id }, query: force ? { force } : {} });
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button
          leftSection={<RefreshCw size={14} aria-hidden />}
          loading={sync.isPending}
          disabled={isOpen}
          onClick={() => start(false)}
        >
          Sync now
        </Button>
        <Button
          variant="default"
          disabled={isOpen || sync.isPending || !canForce}
          aria-describedby={FORCE_NOTE}
          onClick={() => start(true)}
        >
          Replay every row
        </Button>
        <Text size="sm" c="dimmed" id={FORCE_NOTE}>
          {capabilities.data !== undefined && !canForce
            ? 'A replay cannot be forced: new syncs follow a contract that does not have it.'
            : 'A replay sends rows that have not changed too.'}
        </Text>
      </Group>
      {sync.error === null ? null : <FaultNote error={sync.error} />}
    </Stack>
  );
}

/** Why the entities are not those of the table. */
function Why({ backing: { backing_dataset_id, state, sync } }: { backing: BackingDatasetView }) {
  const isDue = state !== 'in_step';
  const pending = useRead(listPendingSyncs, { query: { limit: MAX_PENDING } }, { enabled: isDue });
  const runs = useRead(
    listSyncRuns,
    { params: { backing_dataset_id }, query: { limit: 1 } },
    { enabled: isDue, again: () => (state === 'syncing' ? LIVE_MS : false) },
  );
  const due = pending.data?.items.find((one) => one.backing_dataset_id === backing_dataset_id);
  const last = runs.data?.items[0];
  if (!isDue) return null;
  if (state === 'blocked' && last?.failure != null)
    return (
      <FailureNote failure={last.failure} title="The last sync failed">
        <RunLink runId={last.run_id} />
      </FailureNote>
    );
  return (
    <Alert role="status" color={state === 'syncing' ? 'blue' : 'yellow'} variant="outline" className="panel">
      <Group gap="xs">
        <Text size="sm">
          {due === undefined ? (state === 'syncing' ? 'A sync is running' : 'A sync is due') : REASON_WORDS[due.reason]}
          {state === 'pending' && sync === 'manual' ? '; it starts on request.' : '.'}
        </Text>
        {due === undefined ? null : <ShowTime at={due.since} size="sm" c="dimmed" />}
        {state === 'syncing' && last !== undefined ? <RunLink runId={last.run_id} /> : null}
      </Group>
    </Alert>
  );
}
