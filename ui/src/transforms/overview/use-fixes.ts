import type { Output } from '@weir/kernel/contract';
import {
  changeTransform,
  type getTransformDetail,
  hydrateTransform,
  materializeTransform,
} from '@weir/plugin-transforms/contract';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../session/person.ts';
import type { Check, Fix } from './readiness-list.tsx';

type Detail = Output<typeof getTransformDetail>;

/** What there is to do about each check, for those who may. */
export function useFixes(detail: Detail) {
  const mayHydrate = useMay(hydrateTransform);
  const mayChange = useMay(changeTransform);
  const hydrate = useChange(hydrateTransform);
  const change = useChange(changeTransform);
  const mayRun = useMay(materializeTransform);
  const start = useChange(materializeTransform);
  const params = { transform_id: detail.transform_id };
  const isHydrated = detail.artifact !== null;
  const again: Fix = { label: 'Check again', act: () => hydrate.mutate({ params }), isPending: hydrate.isPending };
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
  const toDefinition = ofEditors(toTab(isHydrated ? 'Change the definition' : 'See the draft', 'definition'));
  const toStatement = isHydrated ? toDefinition : undefined;
  /** A run that the check itself asks for. */
  const startOf = (next: Check['next']): Fix | undefined => {
    const step = next?.find(({ operation }) => operation === materializeTransform.id);
    if (step === undefined || !mayRun) return undefined;
    const body = { full: step.params.full === 'true', force: step.params.force === 'true' };
    return { label: step.text, act: () => start.mutate({ params, body }), isPending: start.isPending };
  };
  const nextOf = (name: string) => detail.readiness.checks.find(({ check }) => check === name)?.next;
  const run = detail.last_run?.run_id;
  const toRun: Fix | undefined =
    run === undefined ? undefined : { label: 'See the run', link: { to: '/runs/$runId', params: { runId: run } } };
  const hydrating = mayHydrate ? again : undefined;
  const fixes: Readonly<Record<string, Fix | undefined>> = {
    hydrated: toDefinition,
    runtime: hydrating,
    archived: ofEditors(restore),
    // What makes an input is another page's to run.
    inputs: nextOf('inputs') === undefined ? (toStatement ?? hydrating) : undefined,
    output: startOf(nextOf('output')) ?? toDefinition,
    worker: { label: 'See the workers', link: { to: '/operations', search: { tab: 'health' } } },
    last_run: toRun,
    lineage: isHydrated ? toTab('See the lineage', 'lineage') : hydrating,
  };
  return { fixOf: ({ check }: Check) => fixes[check], error: hydrate.error ?? change.error ?? start.error };
}
