import { Group, Stack, Text } from '@mantine/core';
import type { Output } from '@weir/kernel/contract';
import { changeTransform, type getTransformDetail, hydrateTransform } from '@weir/plugin-transforms/contract';
import { useChange } from '../api/queries.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { reasonText } from '../runs/run-reason.ts';
import { useMay } from '../session/person.ts';
import { type Check, type Fix, ReadinessList } from './readiness-list.tsx';
import { RunLink } from './run-link.tsx';

type Detail = Output<typeof getTransformDetail>;

/** The last run and why, and what keeps the next one from starting. */
export function Overview({ detail }: { detail: Detail }) {
  const { fixOf, error } = useFixes(detail);
  const last = detail.last_run;
  return (
    <Stack gap="md">
      {last === null || last.failure === null ? null : (
        <FailureNote failure={last.failure} title="The last run failed">
          <RunLink runId={last.run_id} />
        </FailureNote>
      )}
      {last === null || last.failure !== null ? null : (
        <Group gap="sm" className="panel" px="md" py="sm" role="status">
          <RunWord status={last.status} />
          <Text size="sm">{reasonText(last)}</Text>
          <ShowTime at={last.ended_at ?? last.created_at} size="sm" c="dimmed" />
          <RunLink runId={last.run_id} />
        </Group>
      )}
      {error === null ? null : <FaultNote error={error} />}
      <ReadinessList readiness={detail.readiness} fixOf={fixOf} />
    </Stack>
  );
}

/** What there is to do about each check, for those who may. */
function useFixes(detail: Detail) {
  const mayHydrate = useMay(hydrateTransform);
  const mayChange = useMay(changeTransform);
  const hydrate = useChange(hydrateTransform);
  const change = useChange(changeTransform);
  const params = { transform_id: detail.transform_id };
  const isHydrated = detail.artifact !== null;
  const again: Fix = { label: 'Hydrate', act: () => hydrate.mutate({ params }), isPending: hydrate.isPending };
  const restore: Fix = {
    label: 'Restore',
    act: () => change.mutate({ params, body: { archived: false } }),
    isPending: change.isPending,
  };
  const toTab = (label: string, tab: string): Fix => ({
    label,
    link: { to: '/transforms/$transformId', params: { transformId: detail.transform_id }, search: { tab } },
  });
  const ofEditors = (fix: Fix) => (mayChange ? fix : undefined);
  const toStatement = isHydrated ? ofEditors(toTab('Change the definition', 'definition')) : undefined;
  const run = detail.last_run?.run_id;
  const toRun: Fix | undefined =
    run === undefined ? undefined : { label: 'See the run', link: { to: '/runs/$runId', params: { runId: run } } };
  const hydrating = mayHydrate ? again : undefined;
  const fixes: Readonly<Record<string, Fix | undefined>> = {
    hydrated: hydrating,
    runtime: hydrating,
    archived: ofEditors(restore),
    inputs: toStatement ?? hydrating,
    output: ofEditors(toTab('Change the definition', 'definition')),
    worker: { label: 'See the workers', link: { to: '/operations', search: { tab: 'health' } } },
    last_run: toRun,
    lineage: isHydrated ? toTab('See the lineage', 'lineage') : hydrating,
  };
  return { fixOf: ({ check }: Check) => fixes[check], error: hydrate.error ?? change.error };
}
