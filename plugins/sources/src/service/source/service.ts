import { type Kernel, type PageOrders, requireMatch, type Tenant, type TenantTransaction } from '@weir/kernel';
import type { Input } from '@weir/kernel/contract';
import type { EventsService } from '@weir/plugin-platform/contract';
import type { SubjectSchedulesService } from '@weir/plugin-schedules/contract';
import { type listSources, type SCHEDULED, type SourceView, sourceProblems, sourceSchedules } from '../../contract.ts';
import { CredentialEntity } from '../../model/credential/entity.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { SourceEntity, type SourceRow } from '../../model/source/entity.ts';
import { sourceAfter } from '../../model/source/transitions.ts';
import { visibleConfig } from '../../model/source/visible-config.ts';
import { SyncRunEntity } from '../../model/sync/entity.ts';
import { syncRunView } from '../../model/sync/view.ts';
import type { PatternCatalog } from '../pattern/catalog.ts';
import { liveSource } from '../row/live-source.ts';
import { refuseWhileRunning } from '../row/refuse-while-running.ts';
import { uniqueConstraint } from '../row/unique-constraint.ts';
import { uploadService } from '../upload/upload-service.ts';
import { detach } from '../vault/rows.ts';
import { type ChangeRequest, changeSource } from './change-source.ts';
import { makeSource, type NewSource } from './create-source.ts';
import { readSource, type StreamCounts } from './read-source.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt', name: 'name' }, first: '-created_at', id: 'sourceId' };

export interface SourceDeps {
  kernel: Kernel;
  patterns: PatternCatalog;
  /** Where readers follow what changes; absent when the deployment leaves that plugin out. */
  events?: EventsService | undefined;
  schedules: SubjectSchedulesService;
}

/** What can be done with sources as such. */
export function sourceService({ kernel, patterns, events, schedules }: SourceDeps) {
  const tell = async (tx: TenantTransaction, { sourceId: id, version }: SourceRow) =>
    events?.publish(tx, { topic: 'source', id, version: String(version) });
  const views = (tx: TenantTransaction, rows: readonly SourceRow[], counts: ReadonlyMap<string, StreamCounts>) =>
    viewsOf({ kernel, patterns, schedules }, tx, { rows, counts });
  const view = async (tx: TenantTransaction, row: SourceRow) =>
    (await views(tx, [row], await streamCounts(tx, [row.sourceId])))[0] as SourceView;
  const told = async (tx: TenantTransaction, row: SourceRow) => {
    await tell(tx, row);
    return view(tx, row);
  };
  const uploads = uploadService(kernel);
  return {
    /** Creates a source in `draft`. */
    async create(tenant: Tenant, body: NewSource): Promise<SourceView> {
      await uploads.assertOwn(tenant, body.source_config);
      return taken(async () =>
        makeSource({ kernel, pattern: await patterns.named(body.pattern_id) }, tenant, body, told),
      );
    },

    /** One source, all of it read in one transaction. */
    get: (tenant: Tenant, sourceId: string): Promise<SourceView> =>
      kernel.db(tenant).transaction(async (tx) => {
        const { row, counts } = await readSource(tx, sourceId);
        return (await views(tx, [row], new Map([[sourceId, counts]])))[0] as SourceView;
      }),

    /** The sources that are not retired, by keyset page. */
    async list(tenant: Tenant, query: Input<typeof listSources>['query']) {
      const { status, pattern_id: patternId, name, schedule, ...request } = query;
      const where = {
        status: status ?? { $ne: 'retired' as const },
        ...(patternId === undefined ? {} : { patternId }),
        ...(name === undefined ? {} : { name }),
      };
      return kernel.db(tenant).transaction(async (tx) => {
        const scheduled = schedule === undefined ? {} : await bySchedule(schedules, tx, schedule);
        const { items, next_page_token } = await tx.page(SourceEntity, { ...where, ...scheduled }, request, ORDERS);
        const counts = await streamCounts(
          tx,
          items.map(({ sourceId }) => sourceId),
        );
        return { items: await views(tx, items, counts), next_page_token, total: null };
      });
    },

    /** Renames a source, patches its configuration or gives it credentials; what is not named stays. */
    async update(tenant: Tenant, request: ChangeRequest): Promise<SourceView> {
      await uploads.assertOwn(tenant, request.patch.source_config);
      return taken(() => changeSource({ kernel, patterns }, tenant, request, told));
    },

    /** Retires a source; throws `run_already_active` while a sync or a discovery of it is open. */
    async retire(tenant: Tenant, sourceId: string, ifMatch: string | undefined): Promise<undefined> {
      await kernel.db(tenant).transaction(async (tx) => {
        const row = await liveSource(tx, sourceId, { lock: true });
        requireMatch(ifMatch, String(row.version));
        await refuseWhileRunning(kernel, tx, sourceId);
        const status = sourceAfter(row.status, 'retired');
        await schedules.drop(tx, sourceId);
        await tell(tx, await detach(tx, row, { status }));
      });
      return undefined;
    },
  };
}

/** The condition on sources that stand so with a schedule. */
async function bySchedule(
  schedules: SubjectSchedulesService,
  tx: TenantTransaction,
  schedule: (typeof SCHEDULED)[number],
) {
  const paused = { active: false, paused: true, none: undefined }[schedule];
  const ids = await schedules.scheduled(tx, sourceSchedules.kind, paused);
  return { sourceId: schedule === 'none' ? { $nin: ids } : { $in: ids } };
}

async function taken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (uniqueConstraint(error) === 'source_name') throw sourceProblems.nameTaken();
    throw error;
  }
}

/** Sources as the wire shows them, with what belongs to all of them read at once. */
async function viewsOf(
  { kernel, patterns, schedules }: Pick<SourceDeps, 'kernel' | 'patterns' | 'schedules'>,
  tx: TenantTransaction,
  { rows, counts }: { rows: readonly SourceRow[]; counts: ReadonlyMap<string, StreamCounts> },
): Promise<SourceView[]> {
  const refs = await credentialRefs(tx, rows);
  const runIds = rows.flatMap(({ lastRunId }) => lastRunId ?? []);
  const runs = new Map((await kernel.runs.findMany(tx, runIds)).map((run) => [run.runId, run]));
  const details = runIds.length === 0 ? [] : await tx.find(SyncRunEntity, { runId: { $in: runIds } });
  const detailsOf = new Map(details.map((one) => [one.runId, one]));
  const used = await patterns.ofAll(rows, tx.sql);
  const scheduled = await schedules.summaries(
    tx,
    rows.map(({ sourceId }) => sourceId),
  );
  return rows.map((row, at) => {
    const run = row.lastRunId ? runs.get(row.lastRunId) : undefined;
    const lastRun = run === undefined ? null : syncRunView(run, detailsOf.get(run.runId));
    return viewOf(row, {
      pattern: used[at],
      lastRun,
      counts: counts.get(row.sourceId) ?? NO_STREAMS,
      schedule: scheduled.get(row.sourceId) ?? null,
      credentialRef: refs.get(row.credentialId ?? ''),
    });
  });
}

interface Beside {
  pattern: Pattern | undefined;
  lastRun: SourceView['last_run'];
  counts: StreamCounts;
  schedule: SourceView['schedule'];
  credentialRef: string | undefined;
}

function viewOf(row: SourceRow, { pattern, lastRun, counts, schedule, credentialRef }: Beside): SourceView {
  return {
    source_id: row.sourceId,
    name: row.name,
    pattern_id: row.patternId,
    pattern_version: pattern?.version ?? row.patternVersion,
    source_config: visibleConfig(row.sourceConfig, pattern),
    has_credentials: Boolean(row.sealed) || Boolean(row.credentialId),
    credential_ref: credentialRef ?? null,
    status: row.status,
    ...counts,
    schedule,
    last_run: lastRun,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    etag: String(row.version),
  };
}

async function credentialRefs(tx: TenantTransaction, rows: readonly SourceRow[]): Promise<Map<string, string>> {
  const ids = rows.flatMap(({ credentialId }) => credentialId ?? []);
  const found = ids.length === 0 ? [] : await tx.find(CredentialEntity, { credentialId: { $in: ids } });
  return new Map(found.map(({ credentialId, credentialRef }) => [credentialId, credentialRef]));
}

const NO_STREAMS: StreamCounts = { streams: 0, streams_enabled: 0 };

async function streamCounts(tx: TenantTransaction, sourceIds: string[]): Promise<Map<string, StreamCounts>> {
  const { rows } = await tx.sql(
    `select source_id, count(stream_id)::int as streams, (count(*) filter (where enabled))::int as streams_enabled
     from sources.source left join sources.stream using (tenant_id, source_id)
     where tenant_id = $1 and source_id = any ($2::uuid[]) group by source_id`,
    [tx.tenant.tenantId, sourceIds],
  );
  return new Map(
    rows.map(({ source_id: id, streams, streams_enabled: enabled }) => [
      String(id),
      { streams: Number(streams), streams_enabled: Number(enabled) },
    ]),
  );
}
