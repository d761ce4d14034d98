import { setTimeout as delay } from 'node:timers/promises';
import { decodePageToken, encodePageToken, type Kernel, type Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { isSearchable, type LineFilter, openRunLog, RunLogError, type RunLogStore, readPage } from '@weir/run-logs';
import {
  type ReadableRun,
  RUN_LOG_LEVELS,
  type RunLogDownloadRequest,
  type RunLogPageView,
  type RunLogRequest,
  type RunLogsService,
} from '../contract.ts';
import { downloadOf } from './download.ts';
import { lineView } from './line-view.ts';
import { MS_PER_DAY } from './retention.ts';

const DEFAULT_LINES = 200;
/** How often a waiting reader looks again; a line is in the store half a second after it was written. */
const LOOK_EVERY_MS = 500;
const MS_PER_SECOND = 1_000;
/** Readers of one process that may wait at once; one more is answered at once with what there is. */
const MAX_WAITING = 200;

export interface RunLogDeps {
  log: Kernel['log'];
  store: RunLogStore;
  maxLines: number;
  retentionDays: number;
  now?: () => number;
}

/** Writes and reads the logs of runs; `close` sends waiting readers home. */
export function runLogService(deps: RunLogDeps): RunLogsService & { close(): void } {
  const { store, log, maxLines } = deps;
  const closing = new AbortController();
  let waiting = 0;
  const waited = async (request: Request, signals: AbortSignal): Promise<RunLogPageView> => {
    const until = performance.now() + (request.query.wait_seconds ?? 0) * MS_PER_SECOND;
    for (;;) {
      const answer = await pageOf(deps, request, await request.find());
      const isAnswer = answer.items.length > 0 || answer.next_page_token !== null || answer.ended;
      if (isAnswer || performance.now() >= until || signals.aborted) return answer;
      await delay(LOOK_EVERY_MS, undefined, { signal: signals }).catch(() => undefined);
    }
  };
  return {
    maxLines,
    open(tenant, { runId, attempt, part }) {
      const run = { tenantId: tenant.tenantId, runId };
      const onTrouble = (error: unknown) =>
        log.warn({ err: error, run_id: runId }, 'lines of a run could not be kept; it is tried again');
      return openRunLog({ store, run, attempt, part, onTrouble });
    },
    async page(tenant, query, { find, signal }) {
      const request: Request = { tenant, query, find };
      const mayWait = query.after !== undefined && waiting < MAX_WAITING;
      if (!mayWait) return pageOf(deps, request, await find());
      waiting += 1;
      try {
        return await waited(request, AbortSignal.any([signal, closing.signal]));
      } finally {
        waiting -= 1;
      }
    },
    download: (tenant, query, { run, mediaType }) =>
      downloadOf(store, { tenantId: tenant.tenantId, runId: run.runId }, { filter: filterOf(query), mediaType }),
    close: () => closing.abort(),
  };
}

interface Request {
  tenant: Pick<Tenant, 'tenantId'>;
  query: RunLogRequest;
  find(): Promise<ReadableRun>;
}

/** Throws `validation_failed`, `invalid_page_token` and `dependency_unavailable`. */
async function pageOf(deps: RunLogDeps, { tenant, query }: Request, run: ReadableRun): Promise<RunLogPageView> {
  const { page_token, order = 'seq', after, limit = DEFAULT_LINES } = query;
  if (after !== undefined && order === '-seq') throw refused('order', 'not_with_after');
  if (after !== undefined && page_token !== undefined) throw refused('page_token', 'not_with_after');
  const filter = filterOf(query);
  const list = ['run-logs', tenant.tenantId, run.runId, order, ...Object.values(filter).map((one) => one ?? null)];
  const token = page_token === undefined ? undefined : decodePageToken(list, page_token);
  const place = token === undefined ? after : seqOf(token.id);
  const isBack = token?.value === 'previous';
  const direction = (order === 'seq') === !isBack ? 'forward' : 'backward';
  const logged = { tenantId: tenant.tenantId, runId: run.runId };
  const begins = token === undefined && after === undefined;
  const read = async () => {
    const { lines, next } = await readPage(deps.store, logged, { filter, direction, after: place, wanted: limit });
    return { lines, next, levels: begins ? await deps.store.count(logged) : undefined };
  };
  const { lines, next, levels } = await read().catch(unavailable);
  const items = (isBack ? lines.toReversed() : lines).map(lineView);
  const token_ = (where: 'next' | 'previous', seq: number | undefined) =>
    seq === undefined ? null : encodePageToken(list, { value: where, id: String(seq) });
  const further = token_(isBack ? 'previous' : 'next', next);
  const back = token_(isBack ? 'next' : 'previous', lines[0]?.seq ?? (token === undefined ? undefined : place));
  const isEmpty = levels !== undefined && Object.values(levels).every((count) => count === 0);
  return {
    items,
    next_page_token: isBack ? back : further,
    previous_page_token: isBack ? further : begins ? null : back,
    total: null,
    ended: run.isTerminal && (direction === 'backward' || next === undefined),
    expired: isEmpty && isExpired(deps, run),
    levels: levels === undefined ? null : Object.fromEntries(RUN_LOG_LEVELS.map((one) => [one, levels[one] ?? 0])),
  };
}

function isExpired({ retentionDays, now = Date.now }: RunLogDeps, { endedAt }: ReadableRun): boolean {
  return endedAt !== undefined && endedAt.getTime() + retentionDays * MS_PER_DAY < now();
}

function filterOf({ search, pattern, level, stream, step, attempt, from, to }: RunLogDownloadRequest): LineFilter {
  if (pattern !== undefined && !isSearchable(pattern)) throw refused('pattern', 'pattern');
  const times = { from: instant('from', from), to: instant('to', to) };
  return { text: search, pattern, level, stream, step, attempt, ...times };
}

function instant(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw refused(name, 'format');
  return time;
}

function refused(name: string, code: string) {
  return kernelProblems.validationFailed({ errors: [{ pointer: `/query/${name}`, code }] });
}

function seqOf(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw kernelProblems.invalidPageToken();
  return Number(text);
}

function unavailable(error: unknown): never {
  if (error instanceof RunLogError) throw kernelProblems.dependencyUnavailable({ cause: error });
  throw error;
}
