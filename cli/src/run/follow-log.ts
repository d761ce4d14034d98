import { setTimeout as delay } from 'node:timers/promises';
import type { Input } from '@weir/kernel/contract';
import { MAX_LOG_WAIT_SECONDS, type RunLogLineView } from '@weir/plugin-platform/contract';
import { readLog } from '@weir/plugin-runs/contract';
import { readDiscoveryLogs, readRunLogs } from '@weir/plugin-sources/contract';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';

/** The run whose log is meant: any, one of a source, or a discovery, which may be of none. */
export type LogKey = { id: string } | { source_id: string; run_id: string } | { workflow_id: string };
export type LogFilter = Pick<LogQuery, 'search' | 'pattern' | 'level' | 'stream' | 'step' | 'attempt' | 'from' | 'to'>;

type LogQuery = NonNullable<Input<typeof readRunLogs>['query']>;

const PAGE_LINES = 500;
const MAX_BACKOFF_MS = 5_000;
const FIRST_BACKOFF_MS = 250;

/** The run id or workflow id of a log. */
export function runIdOf(key: LogKey): string {
  if ('id' in key) return key.id;
  return 'workflow_id' in key ? key.workflow_id : key.run_id;
}

/** One page of a log. */
function readPage(api: Api, key: LogKey, query: LogQuery) {
  if ('id' in key) return api.call(readLog, { params: key, query });
  if ('workflow_id' in key) return api.call(readDiscoveryLogs, { params: key, query });
  return api.call(readRunLogs, { params: key, query });
}

/** The newest lines that fit, oldest first, at most `limit`; and whether the log was kept as long as it is to be. */
export async function newestLines(api: Api, params: LogKey, { filter, limit }: { filter: LogFilter; limit: number }) {
  const lines: RunLogLineView[] = [];
  let token: string | undefined;
  let expired = false;
  do {
    const query = {
      ...filter,
      order: '-seq' as const,
      limit: Math.min(PAGE_LINES, limit - lines.length),
      ...(token === undefined ? {} : { page_token: token }),
    };
    const page = await readPage(api, params, query);
    lines.push(...page.items);
    token = page.next_page_token ?? undefined;
    expired ||= page.expired;
  } while (token !== undefined && lines.length < limit);
  return { lines: lines.reverse(), isMore: token !== undefined, expired };
}

/** What following a log needs beside the log. */
export interface Following {
  filter: LogFilter;
  /** The place behind which lines are wanted. */
  after: number;
  interrupted: AbortSignal;
  shown(lines: readonly RunLogLineView[]): void;
}

/**
 * Hands out the lines of a run as they come, until the run has ended and all of them were handed out, or until the
 * interrupt. An API that restarts is waited for; nothing is lost or shown twice, as places are asked for.
 */
export async function followLog(api: Api, params: LogKey, following: Following): Promise<'ended' | 'interrupted'> {
  const { filter, interrupted, shown } = following;
  let { after } = following;
  let token: string | undefined;
  let pause = FIRST_BACKOFF_MS;
  while (!interrupted.aborted) {
    const place = token === undefined ? { after, wait_seconds: MAX_LOG_WAIT_SECONDS } : { page_token: token };
    const page = await readPage(api, params, { ...filter, ...place }).catch(whileAway(interrupted));
    if (page === undefined) {
      await delay(pause, undefined, { signal: interrupted }).catch(() => undefined);
      pause = Math.min(pause * 2, MAX_BACKOFF_MS);
      continue;
    }
    pause = FIRST_BACKOFF_MS;
    shown(page.items);
    after = page.items.at(-1)?.seq ?? after;
    token = page.next_page_token ?? undefined;
    if (page.ended) return 'ended';
  }
  return 'interrupted';
}

/** An API that is away, or that a part of is away, may come back. */
function whileAway(interrupted: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    const isAway = error instanceof CliError && error.exit === 'unreachable';
    if (interrupted.aborted || isAway) return undefined;
    throw error;
  };
}
