import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { PIPELINE_SANDBOX } from '@weir/plugin-pipelines/contract';
import { cancelRun, getRun, listRuns } from '@weir/plugin-runs/contract';
import { startSync } from '@weir/plugin-sources/contract';
import { materializeTransform, materializeTransforms, readSteps } from '@weir/plugin-transforms/contract';
import { RotateCcw, Square } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { EntitySyncFacts } from '../ontology/sync/entity-sync-facts.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { durationText } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Later, Region } from '../parts/region.tsx';
import { agoText, ShowTime, useNow } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { useMay } from '../session/person.ts';
import { PipelineAgain } from './pipeline/pipeline-again.tsx';
import { ENTITY_SYNC_KINDS, GROUP_KINDS, kindWord } from './run-kinds.ts';
import { RunLog } from './run-log.tsx';
import { RunSteps } from './run-steps.tsx';
import { RunSubject } from './run-subject.tsx';
import { SyncFacts } from './sync/sync-facts.tsx';
import { TransformFacts } from './transform-facts.tsx';

const RehearsedRows = lazy(() =>
  import('./pipeline/rehearsed-rows.tsx').then((module) => ({ default: module.RehearsedRows })),
);

const WhyFailed = lazy(() => import('../ai/why-failed.tsx').then((module) => ({ default: module.WhyFailed })));

type Run = Output<typeof getRun>;
const LIVE_MS = 1_500;
/** What failed is looked for among warnings first. */
const FAULT_LEVEL = 'warn';

/** One run of any kind: what failed, why and what to do come first, the whole log last. */
export function RunPage() {
  const { runId } = useParams({ from: '/runs/$runId' });
  const query = useRead(
    getRun,
    { params: { id: runId } },
    { again: (run) => (run?.is_terminal === false ? LIVE_MS : false) },
  );
  return (
    <>
      {query.data === undefined ? <PageHead title="Run" /> : null}
      <Region query={query}>{(run) => <Shown run={run} />}</Region>
    </>
  );
}

function Shown({ run }: { run: Run }) {
  const mayCancel = useMay(cancelRun);
  const cancel = useChange(cancelRun);
  const group = useGroup(run);
  const name = run.subject.name ?? run.subject.kind;
  const title = group === undefined ? `${kindWord(run.kind)}: ${name}` : `Run of ${group.steps.length} transforms`;
  return (
    <Stack gap="md">
      <PageHead title={title} beside={<RunWord status={run.status} />}>
        {mayCancel && !run.is_terminal ? (
          <Button
            variant="default"
            leftSection={<Square size={14} aria-hidden />}
            loading={cancel.isPending}
            onClick={() => cancel.mutate({ params: { id: run.run_id } })}
          >
            Cancel run
          </Button>
        ) : null}
        {run.is_terminal ? <CompareBefore run={run} /> : null}
        {run.is_terminal ? <Again run={run} /> : null}
      </PageHead>
      {cancel.error === null ? null : <FaultNote error={cancel.error} />}
      {run.failure === null ? null : (
        <FailureNote failure={run.failure} title="The run failed">
          <Before run={run} />
          <Suspense fallback={null}>
            <WhyFailed runId={run.run_id} transformId={run.subject.kind === 'transform' ? run.subject.id : undefined} />
          </Suspense>
        </FailureNote>
      )}
      <Facts run={run} />
      {run.kind === 'source-sync' ? <SyncFacts runId={run.run_id} /> : null}
      {ENTITY_SYNC_KINDS.includes(run.kind) ? <EntitySyncFacts run={run} /> : null}
      {GROUP_KINDS.includes(run.kind) ? <RunSteps run={run} /> : null}
      {run.kind === PIPELINE_SANDBOX ? (
        <Suspense fallback={<Later />}>
          <RehearsedRows run={run} />
        </Suspense>
      ) : null}
      {run.kind === 'transform' ? <TransformFacts runId={run.run_id} /> : null}
      <Log run={run} />
    </Stack>
  );
}

/** The way to this run beside the one before it, where there is one. */
function CompareBefore({ run }: { run: Run }) {
  const { data } = useRead(listRuns, {
    query: { limit: 1, kind: run.kind, subject_id: run.subject.id, to: run.created_at },
  });
  const before = data?.items[0];
  if (before === undefined) return null;
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/runs/compare" search={{ one: before.run_id, other: run.run_id }} {...props} />}
    >
      Compare with the one before
    </Button>
  );
}

/** Whether it failed before: the last time that the subject succeeded. */
function Before({ run }: { run: Run }) {
  const good = useRead(listRuns, {
    query: { limit: 1, kind: run.kind, subject_id: run.subject.id, status: 'succeeded', to: run.created_at },
  });
  const last = good.data?.items[0];
  if (good.data === undefined) return null;
  return (
    <Text size="sm">
      {last === undefined ? (
        'It has not succeeded before. '
      ) : (
        <>
          Last succeeded <ShowTime at={last.ended_at ?? last.created_at} inherit />.{' '}
        </>
      )}
      <Anchor
        inherit
        underline="always"
        renderRoot={(props) => <Link to="/runs" search={{ subject: run.subject.id }} {...props} />}
      >
        All runs of {run.subject.name ?? 'it'}
      </Anchor>
    </Text>
  );
}

/** The steps of a run of several transforms; undefined of any other, and until they are known. */
function useGroup(run: Run): Output<typeof readSteps> | undefined {
  const isWhole = run.kind === 'materialization';
  const { data } = useRead(readSteps, { params: { run_id: run.run_id } }, { enabled: isWhole });
  // The steps of another kind of run may be known from elsewhere on the page.
  return isWhole && data !== undefined && data.steps.length > 1 ? data : undefined;
}

/** What starts the work of a run again. */
const Again = ({ run }: { run: Run }) =>
  run.subject.kind === 'pipeline' ? <PipelineAgain run={run} /> : <RunAgain run={run} />;

/** Starts the same work again, where a person may: all steps of a run that has several. */
function RunAgain({ run }: { run: Run }) {
  const group = useGroup(run);
  const navigate = useNavigate();
  const maySync = useMay(startSync);
  const mayRun = useMay(materializeTransform);
  const sync = useChange(startSync);
  const transform = useChange(materializeTransform);
  const transforms = useChange(materializeTransforms);
  const open = ({ run_id }: { run_id: string }) => void navigate({ to: '/runs/$runId', params: { runId: run_id } });
  const again = (): (() => void) | undefined => {
    if (run.kind === 'source-sync' && maySync)
      return () => sync.mutate({ params: { source_id: run.subject.id } }, { onSuccess: open });
    if (group !== undefined && mayRun) {
      const publish = group.publish === 'together' ? 'together' : 'each';
      const transform_ids = group.steps.map(({ transform_id }) => transform_id);
      return () => transforms.mutate({ body: { transform_ids, publish, force: true } }, { onSuccess: open });
    }
    if (run.subject.kind === 'transform' && mayRun)
      return () =>
        transform.mutate({ params: { transform_id: run.subject.id }, body: { force: true } }, { onSuccess: open });
    return undefined;
  };
  const act = again();
  const fault = sync.error ?? transform.error ?? transforms.error;
  if (act === undefined) return null;
  return (
    <Stack gap="xs">
      <Button
        leftSection={<RotateCcw size={14} aria-hidden />}
        loading={sync.isPending || transform.isPending || transforms.isPending}
        onClick={act}
      >
        Run again
      </Button>
      {fault === null ? null : <FaultNote error={fault} />}
    </Stack>
  );
}

function Facts({ run }: { run: Run }) {
  const now = useNow(1_000);
  const until = run.ended_at === null ? now.getTime() : Date.parse(run.ended_at);
  const waited = run.started_at === null ? undefined : Date.parse(run.started_at) - Date.parse(run.created_at);
  const took = Math.max(0, until - Date.parse(run.started_at ?? run.created_at));
  return (
    <Stack gap="xs">
      <FactList
        facts={[
          ['Of', <RunSubject key="of" subject={run.subject} />],
          ['Asked for', <ShowTime key="at" at={run.created_at} />],
          ['By', run.requested_by],
          ['Waited', waited === undefined ? '–' : durationText(Math.max(0, waited))],
          [run.is_terminal ? 'Took' : 'Running for', durationText(took)],
          ['Attempt', String(run.attempt)],
          ...(run.deadline === null ? [] : [['Deadline', <ShowTime key="until" at={run.deadline} />] as const]),
          ...(run.parent_run_id === null
            ? []
            : [
                [
                  'Part of',
                  <Anchor
                    key="parent"
                    inherit
                    renderRoot={(props) => (
                      <Link to="/runs/$runId" params={{ runId: run.parent_run_id ?? '' }} {...props} />
                    )}
                  >
                    another run
                  </Anchor>,
                ] as const,
              ]),
        ]}
      />
      {run.worker === null ? null : (
        <Text size="sm" c="dimmed" role="status">
          {run.worker.detail}
          {run.worker.last_seen_at === null ? '' : ` Last seen ${agoText(new Date(run.worker.last_seen_at), now)}.`}
        </Text>
      )}
      <Group gap="xs">
        <span className="mono-id">{run.run_id}</span>
        <CopyText text={run.run_id} what="run id" />
      </Group>
    </Stack>
  );
}

/** The log; of a failed run its warnings and errors, until another level is chosen. */
function Log({ run }: { run: Run }) {
  const search = useSearch({ from: '/runs/$runId' });
  const navigate = useNavigate({ from: '/runs/$runId' });
  const isFailed = run.status === 'failed';
  const level = search.level === 'all' ? undefined : (search.level ?? (isFailed ? FAULT_LEVEL : undefined));
  return (
    <section aria-labelledby="log">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="log">
          Log
        </Title>
        {isFailed && level === FAULT_LEVEL ? (
          <Text size="sm" c="dimmed">
            Warnings and errors only; clear the level to see every line.
          </Text>
        ) : null}
      </Group>
      <RunLog
        runId={run.run_id}
        search={{ level, search: search.search, line: search.line }}
        change={(next) =>
          void navigate({
            search: (before) => ({ ...before, ...next, ...(next.level === '' ? { level: 'all' } : {}) }),
            replace: true,
          })
        }
      />
    </section>
  );
}
