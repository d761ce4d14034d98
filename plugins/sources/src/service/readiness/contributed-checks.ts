import type { Kernel, Tenant } from '@weir/kernel';
import {
  type CheckOutcome,
  counted,
  type ReadinessCheck,
  type RunStatus,
  TERMINAL_RUN_STATUSES,
} from '@weir/kernel/contract';
import { inParallel } from '@weir/work';
import type { DiscoveryWarningView } from '../../contract.ts';
import { DISCOVERY_KIND, SYNC_KIND } from '../../model/run-kinds.ts';
import { STREAM_NOT_FOUND } from '../../model/stream/discovery-warnings.ts';
import { StreamEntity } from '../../model/stream/entity.ts';
import { bronzeNamespace } from '../../model/stream/view.ts';
import { StreamRunEntity } from '../../model/sync/entity.ts';
import { lastWarnings } from '../row/last-seen.ts';
import { liveSource } from '../row/live-source.ts';
import { leftAside } from './left-aside.ts';
import { sharedThings } from './shared-things.ts';
import { BLOCKING_CHECKS, DISCOVER, type LastEnded, MAX_NAMED, ofSource, provenOutcome } from './source-checks.ts';
import { type FactDeps, readSourceFacts } from './source-facts.ts';

/** The subject of every check of this plugin. */
export const SOURCE_SUBJECT = 'source';

/** Runs that are looked at for repeated failures. */
const RECENT_RUNS = 11;

const HISTORY = {
  hint: 'Look at the syncs and why they failed.',
  next: [ofSource('sources.list_sync_history', 'Show the syncs and why they failed')],
};

interface Deps extends FactDeps {
  kernel: Kernel;
}

/** The checks of sources that this plugin gives: those that refuse a start, then those that only warn. */
export function contributedChecks(deps: Deps): ReadinessCheck[] {
  const { kernel } = deps;
  const blocking = BLOCKING_CHECKS.map(({ check, title, judge }) => ({
    subject: SOURCE_SUBJECT,
    check,
    title,
    blocks: true,
    run: (tenant: Tenant, sourceId: string) =>
      kernel
        .db(tenant)
        .transaction(async (tx) => judge(await readSourceFacts(tx, await liveSource(tx, sourceId), deps))),
  }));
  return [...blocking, provenCheck(deps), ...warningChecks(deps)];
}

function provenCheck(deps: Deps): ReadinessCheck {
  const { kernel } = deps;
  return {
    ...{ subject: SOURCE_SUBJECT, blocks: false, withholds: true },
    check: 'proven',
    title: 'The configuration is as it last worked',
    run: async (tenant, sourceId) => {
      const facts = await kernel
        .db(tenant)
        .transaction(async (tx) => readSourceFacts(tx, await liveSource(tx, sourceId), deps));
      const endedOf = async (what: LastEnded['what'], kind: string) => {
        const { items } = await kernel.runs.page(tenant, { kind, subjectId: sourceId }, { limit: 2 });
        const run = items.find(({ status }) => status === 'succeeded' || status === 'failed');
        return run === undefined ? [] : [{ what, failure: run.failure, endedAt: run.endedAt?.getTime() ?? 0 }];
      };
      const ended = [...(await endedOf('discovery', DISCOVERY_KIND.kind)), ...(await endedOf('sync', SYNC_KIND.kind))];
      return provenOutcome(facts.changed, ended.toSorted((one, other) => other.endedAt - one.endedAt)[0]);
    },
  };
}

function warningChecks({ kernel, tables, patterns }: Deps): ReadinessCheck[] {
  const about = { subject: SOURCE_SUBJECT, blocks: false };
  return [
    {
      ...about,
      check: 'discovery',
      title: 'The last discovery succeeded and described every stream',
      run: async (tenant, sourceId) => {
        const { items } = await kernel.runs.page(
          tenant,
          { kind: DISCOVERY_KIND.kind, subjectId: sourceId },
          { limit: RECENT_RUNS },
        );
        const known = await kernel.db(tenant).transaction(async (tx) => ({
          warnings: await lastWarnings(tx, sourceId),
          hasStreams: (await liveSource(tx, sourceId)).status !== 'draft',
        }));
        return discoveryOutcome(
          items.map(({ status }) => status),
          known,
        );
      },
    },
    {
      ...about,
      check: 'exclusive_use',
      title: 'No other source uses what this one needs alone',
      run: (tenant, sourceId) =>
        kernel.db(tenant).transaction(async (tx) => {
          const source = await liveSource(tx, sourceId);
          return sharedThings(tx, source, await patterns.of(source, tx.sql));
        }),
    },
    {
      ...about,
      check: 'tables',
      title: 'The tables that are there can be read',
      run: (tenant, sourceId) => tablesOutcome({ kernel, tables }, tenant, sourceId),
    },
    {
      ...about,
      check: 'left_aside',
      title: 'The last sync took every field, value and line',
      run: async (tenant, sourceId) => {
        const filter = { kind: SYNC_KIND.kind, subjectId: sourceId };
        const { items } = await kernel.runs.page(tenant, filter, { limit: 2 });
        const last = items.find(({ status }) => TERMINAL_RUN_STATUSES.includes(status));
        if (last === undefined) return leftAside([]);
        const { runId } = last;
        const rows = await kernel.db(tenant).transaction(async (tx) => {
          const enabled = new Set(
            (await tx.find(StreamEntity, { sourceId, enabled: true })).map((row) => row.streamId),
          );
          const runs = await tx.find(StreamRunEntity, { runId }, { orderBy: { name: 'asc' } });
          return runs.filter(({ streamId }) => enabled.has(streamId));
        });
        return leftAside(rows);
      },
    },
    {
      ...about,
      check: 'sync_history',
      title: 'Syncs have succeeded',
      run: async (tenant, sourceId) => {
        const filter = { kind: SYNC_KIND.kind, subjectId: sourceId };
        const { items } = await kernel.runs.page(tenant, filter, { limit: RECENT_RUNS });
        const succeeded = await kernel.runs.page(tenant, { ...filter, status: 'succeeded' }, { limit: 1 });
        return historyOutcome(
          items.map(({ status }) => status),
          succeeded.items.length > 0,
        );
      },
    },
  ];
}

/**
 * Newest first; at most one run of a kind is open. `warnings` are those of the last that succeeded. A source that is made
 * with its streams needs no discovery of its own. Pure.
 */
export function discoveryOutcome(
  newest: readonly RunStatus[],
  { warnings = [], hasStreams = false }: { warnings?: readonly DiscoveryWarningView[]; hasStreams?: boolean } = {},
): CheckOutcome {
  const last = newest.find((status) => TERMINAL_RUN_STATUSES.includes(status));
  if (last === undefined && hasStreams) return { status: 'pass', detail: 'Its streams were given when it was made.' };
  if (last === undefined)
    return { status: 'warning', detail: 'No discovery of this source has ended yet.', ...DISCOVER };
  if (last === 'succeeded') return describedOutcome(warnings);
  const failures = failuresInRow(newest);
  const detail = failures > 1 ? manyFailed('discoveries', failures) : `The last discovery ended ${last}.`;
  return { status: 'warning', detail, ...DISCOVER };
}

/** What of the streams the last discovery could not describe; those that are gone are a matter of `schema_current`. */
function describedOutcome(warnings: readonly DiscoveryWarningView[]): CheckOutcome {
  const undescribed = warnings.filter(({ code }) => code !== STREAM_NOT_FOUND);
  const [first] = undescribed;
  if (first === undefined) return { status: 'pass', detail: 'The last discovery succeeded.' };
  const more = undescribed.length === 1 ? '' : ` ${undescribed.length - 1} more cannot be described.`;
  return {
    status: 'warning',
    detail: `${first.name} cannot be described: ${first.detail}${more}`,
    ...(first.hint === null ? DISCOVER : { hint: first.hint }),
    items: undescribed.slice(0, MAX_NAMED).map(({ name, code }) => ({ id: name, name, code })),
  };
}

/** Newest first, and whether any sync ever succeeded. Pure. */
export function historyOutcome(newest: readonly RunStatus[], succeeded: boolean): CheckOutcome {
  const last = newest.find((status) => TERMINAL_RUN_STATUSES.includes(status));
  const failures = failuresInRow(newest);
  const many = failures > 1 ? ` ${manyFailed('syncs', failures)}` : '';
  if (!succeeded) return { status: 'warning', detail: `No sync of this source has succeeded yet.${many}`, ...HISTORY };
  if (many !== '') return { status: 'warning', detail: many.trim(), ...HISTORY };
  if (last === 'failed') return { status: 'warning', detail: 'The last sync failed.', ...HISTORY };
  return { status: 'pass', detail: 'Syncs have succeeded, and the last one did not fail.' };
}

/** How many of the newest runs that have ended failed, up to the first that did not. */
function failuresInRow(newest: readonly RunStatus[]): number {
  const ended = newest.filter((status) => TERMINAL_RUN_STATUSES.includes(status));
  const other = ended.findIndex((status) => status !== 'failed');
  return other === -1 ? ended.length : other;
}

function manyFailed(runs: string, failures: number): string {
  return `The last ${failures}${failures >= RECENT_RUNS - 1 ? ' or more' : ''} ${runs} failed.`;
}

async function tablesOutcome(
  { kernel, tables }: Pick<Deps, 'kernel' | 'tables'>,
  tenant: Tenant,
  sourceId: string,
): Promise<CheckOutcome> {
  const streams = await kernel
    .db(tenant)
    .transaction((tx) => tx.find(StreamEntity, { sourceId, enabled: true }, { orderBy: { name: 'asc' } }));
  const described = await inParallel(streams, async ({ streamId, name, destinationTable: table }) => {
    const ref = { namespace: bronzeNamespace(tenant), table };
    const { exists, readable } = await tables.describe(tenant, ref);
    return exists && !readable ? [{ id: streamId, name, code: 'dataset_unreadable' }] : [];
  });
  const items = described.flat();
  if (items.length === 0) return { status: 'pass', detail: 'Every table that is there can be read.' };
  return {
    status: 'warning',
    detail: `${counted(items.length, 'table')} cannot be read.`,
    hint: 'Check that the warehouse is complete and reachable.',
    items: items.slice(0, MAX_NAMED),
  };
}
