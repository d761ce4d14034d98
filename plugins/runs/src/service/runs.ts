import { type Kernel, type RunRecord, runView } from '@weir/kernel';
import {
  DEFAULT_PAGE_SIZE,
  type Input,
  kernelProblems,
  type Output,
  TERMINAL_RUN_STATUSES,
  type Tenant,
} from '@weir/kernel/contract';
import { UpkeepRuns } from '@weir/plugin-platform/contract';
import {
  type getRun,
  type ListedRunView,
  type listRuns,
  MAX_LISTED_PARTS,
  RunSubjectNames,
  type RunView,
} from '../contract.ts';
import type { runEnds } from './run-ends.ts';

export interface RunsDeps {
  kernel: Pick<Kernel, 'runs' | 'contributions'>;
  ends: Pick<ReturnType<typeof runEnds>, 'ended'>;
}

interface Wait {
  seconds: number;
  signal: AbortSignal;
}

/** Reading and cancelling the runs of a tenant, whatever plugin they belong to. */
export function runsService({ kernel, ends }: RunsDeps) {
  const find = async (tenant: Tenant, id: string): Promise<RunRecord> => {
    const run = await kernel.runs.find(tenant, id);
    if (run === undefined) throw kernelProblems.notFound();
    return run;
  };
  const views = (tenant: Tenant, runs: readonly RunRecord[]) => runViews(kernel, tenant, runs);
  const withParts = async (tenant: Tenant, runs: readonly RunRecord[]): Promise<ListedRunView[]> => {
    const ids = runs.map(({ runId }) => runId);
    const parts = await kernel.runs.parts(tenant, ids, MAX_LISTED_PARTS);
    const records = [...runs, ...[...parts.values()].flatMap(({ items }) => items)];
    const shown = new Map((await views(tenant, records)).map((view) => [view.run_id, view]));
    const viewOf = ({ runId }: RunRecord) => shown.get(runId) as RunView;
    return runs.map((run) => {
      const { items, total } = parts.get(run.runId) ?? { items: [], total: 0 };
      return { ...viewOf(run), parts: items.map(viewOf), parts_total: total };
    });
  };
  return {
    find,
    async view(tenant: Tenant, run: RunRecord): Promise<RunView> {
      const [view] = await views(tenant, [run]);
      return view as RunView;
    },

    /**
     * The log of a run is found through the run, again and again while somebody follows it. A run whose only part does all of
     * its work has the log of that part.
     */
    async readable(tenant: Tenant, id: string) {
      const { runId, status, endedAt } = await find(tenant, id);
      const {
        items: [part],
        total,
      } = (await kernel.runs.parts(tenant, [runId], 1)).get(runId) ?? { items: [], total: 0 };
      const isWhole = total === 1 && part?.carriedBy === 'parent';
      return { runId: isWhole ? part.runId : runId, endedAt, isTerminal: TERMINAL_RUN_STATUSES.includes(status) };
    },

    async list(tenant: Tenant, query: Input<typeof listRuns>['query']): Promise<Output<typeof listRuns>> {
      const { kind, status, subject_id, parent_run_id, orchestrator_run_id, from, to, top, ...paging } = query ?? {};
      const isTop = parent_run_id === undefined && (top ?? kind === undefined);
      const wanted = {
        ...{ kind: kind ?? { $nin: kernel.contributions(UpkeepRuns) }, status, subjectId: subject_id },
        ...{ parentRunId: isTop ? null : parent_run_id, orchestratorRunId: orchestrator_run_id },
        ...{ from: from === undefined ? undefined : new Date(from), to: to === undefined ? undefined : new Date(to) },
      };
      const page = await kernel.runs.page(tenant, wanted, { limit: DEFAULT_PAGE_SIZE, ...paging });
      const items = isTop ? await withParts(tenant, page.items) : (await views(tenant, page.items)).map(alone);
      return { items, next_page_token: page.next_page_token, total: null };
    },

    /** The run as it is; an open one once it has ended, or after so many seconds. */
    async get(tenant: Tenant, id: string, wait: Wait): Promise<Output<typeof getRun>> {
      const now = await find(tenant, id);
      const isAwaited = wait.seconds > 0 && !TERMINAL_RUN_STATUSES.includes(now.status);
      if (isAwaited) await ends.ended(tenant, now.runId, wait);
      const run = isAwaited ? await find(tenant, id) : now;
      const [[view], worker] = await Promise.all([views(tenant, [run]), kernel.runs.worker(tenant, run)]);
      return { ...(view as RunView), worker: worker ?? null };
    },

    async cancel(tenant: Tenant, id: string) {
      const run = await find(tenant, id);
      const state = await kernel.runs.cancel(tenant, run);
      return { run_id: run.runId, workflow_id: run.workflowId, state };
    },
  };
}

const alone = (run: RunView): ListedRunView => ({ ...run, parts: [], parts_total: 0 });

/** Runs as the wire shows them; the names of their subjects are asked of each plugin once. */
async function runViews(
  { contributions }: Pick<Kernel, 'contributions'>,
  tenant: Tenant,
  runs: readonly RunRecord[],
): Promise<RunView[]> {
  const subjects = await Promise.all(
    contributions(RunSubjectNames).map(async ({ subject, kinds, names }) => {
      const ids = new Set(runs.filter(({ kind }) => kinds.includes(kind)).map(({ subjectId }) => subjectId));
      return { subject, kinds, known: ids.size === 0 ? undefined : await names(tenant, [...ids]) };
    }),
  );
  return runs.map((run) => {
    const owner = subjects.find(({ kinds }) => kinds.includes(run.kind));
    const name = owner?.known?.get(run.subjectId) ?? null;
    return {
      ...runView(run),
      kind: run.kind,
      subject: { kind: owner?.subject ?? run.kind, id: run.subjectId, name },
      carried_by: run.carriedBy,
      deadline: run.deadline?.toISOString() ?? null,
      parent_run_id: run.parentRunId ?? null,
      orchestrator_run_id: run.orchestratorRunId ?? null,
    };
  });
}
