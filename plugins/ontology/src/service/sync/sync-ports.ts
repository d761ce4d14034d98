import { faultpoint, type Kernel, type Tenant, type TenantTransaction } from '@weir/kernel';
import type { Principal } from '@weir/kernel/contract';
import { kernelProblems } from '@weir/kernel/contract';
import type { InputsService, PinnedInput } from '@weir/plugin-datasets/contract';
import { RunFailed, WORK_FAILURES, type WorkLog } from '@weir/work';
import type { OntologyStore } from '../../model/entity/store.ts';
import { BackingDatasetEntity, type BackingDatasetRow, SyncRunEntity, type SyncRunRow } from '../../model/rows.ts';
import { decide, type SnapshotChange } from '../../model/sync/decide.ts';
import type { MapAnswer } from '../../model/sync/map-question.ts';
import type { SyncPorts } from '../../model/sync/run-sync.ts';
import type { SyncMode } from '../../model/sync/words.ts';
import { valueFaults } from '../../model/type/value-faults.ts';
import { claimedBefore } from './claims.ts';
import { type EffectiveDeps, type EffectiveSync, effectiveOver } from './effective.ts';
import { ownedBy } from './end-claims.ts';
import { bothOwned, formerlyOwned } from './former.ts';
import { type MapDeps, withMapped } from './map-table.ts';
import { syncFailed } from './sync-failures.ts';
import { indexedIn } from './sync-type.ts';
import {
  type ChunkOf,
  endNext,
  type NextEnding,
  nextFormer,
  nextUnseen,
  type Rejected,
  takeRange,
} from './take-range.ts';
import { endNextRemote, putType, type Remote, takeRangeRemote } from './take-remote.ts';

/** Who syncs: the platform itself, for the tenant of the run. */
export const SYNC_WORKER: Principal = {
  kind: 'service',
  subject: 'ontology-worker-v2',
  client: 'ontology-worker-v2',
  tenants: '*',
  capabilities: ['ontology:sync'],
};

export interface SyncDeps extends EffectiveDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  inputs: InputsService;
  store: Pick<OntologyStore, 'capabilities' | 'putEntityType' | 'submitBulk' | 'getBulkJob'>;
  map: MapDeps;
}

/** One attempt of a run, which holds its lease. */
export interface SyncAttempt {
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
  signal: AbortSignal;
  log: WorkLog;
}

interface Planned {
  mode: SyncMode;
  pin: PinnedInput;
  effective: EffectiveSync;
  chunks: ChunkOf;
}

/** The world of a run: its table, the store of entities and its rows. */
export function syncPorts(
  deps: SyncDeps,
  attempt: SyncAttempt,
  { run, backing }: { run: SyncRunRow; backing: BackingDatasetRow },
): SyncPorts {
  const { kernel, inputs } = deps;
  const { tenant, runId, leaseEpoch, signal, log } = attempt;
  const inRun = <T>(work: Parameters<ReturnType<Kernel['db']>['transaction']>[0]) =>
    kernel.db(tenant).transaction(async (tx) => {
      await kernel.runs.assertLease(tx, runId, leaseEpoch);
      return work(tx);
    }) as Promise<T>;
  const { store } = deps;
  const isRemote = store.capabilities().adapter !== 'embedded';
  const remote = (): Remote => {
    const call = { tenant, ontologyTenant: deps.tenants.boundTenant(tenant, SYNC_WORKER) };
    return { kernel, store, call, signal };
  };
  let planned: Planned | undefined;
  const plan = (): Planned => {
    if (planned === undefined) throw new Error('a run is planned first');
    return planned;
  };
  const end = (next: NextEnding): Promise<boolean> => {
    signal.throwIfAborted();
    const { chunks } = plan();
    return isRemote ? endNextRemote(remote(), chunks, next) : endNext(kernel, tenant, chunks, next);
  };
  return {
    async assertAllowed() {
      signal.throwIfAborted();
      deps.tenants.boundTenant(tenant, SYNC_WORKER);
      await inputs.pin(tenant, [{ datasetId: run.spec.dataset_id }]);
      await faultpoint('O1');
    },
    async plan() {
      if (isRemote && run.spec.merge_mode === 'owned_properties') throw syncFailed('merge_unsupported');
      planned = await planSync(deps, attempt, { run, backing });
      if (isRemote && planned.mode !== 'skip') await putType(store, remote().call, planned.effective.version);
      await faultpoint('O2');
      return planned;
    },
    async becomeDiff() {
      await inRun((tx) =>
        tx.sql(`update ontology.sync_run set mode = 'diff' where tenant_id = $1 and run_id = $2`, [
          tenant.tenantId,
          runId,
        ]),
      );
      log.write({
        level: 'info',
        step: 'plan',
        message: 'a key that was added is claimed already: all rows are compared',
      });
    },
    async withMapped(of, work) {
      const { pin, effective } = plan();
      const rows = of === 'added' && pin.change !== undefined && 'plan' in pin.change ? pin.change.plan : pin.plan;
      return withMapped(deps.map, { mapping: effective.mapping, pin, rows, signal }, async (mapped) => {
        await faultpoint('O4');
        return work(mapped);
      });
    },
    async noteRead(found) {
      log.write({ level: 'info', step: 'read', message: `${found.read} rows were read`, fields: { rows: found.read } });
      await inRun((tx) =>
        tx.sql(
          `update ontology.sync_run set counts = counts || jsonb_build_object('read', $3::bigint)
           where tenant_id = $1 and run_id = $2`,
          [tenant.tenantId, runId, found.read],
        ),
      );
      assertKeys(found, run, log);
      await faultpoint('O3');
    },
    areClaimed: (keys) => inRun((tx) => claimedBefore(tx, plan().chunks.claimant, { keys, runId })),
    async takeRange(range, mode) {
      signal.throwIfAborted();
      const asked = { range, mode };
      const rejected = isRemote
        ? await takeRangeRemote(remote(), plan().chunks, asked)
        : await takeRange(kernel, tenant, plan().chunks, asked);
      logRejected(log, range.seq, rejected);
      await faultpoint('O5');
    },
    async assertAccepted() {
      const { rows } = await inRun<{ rows: Record<string, unknown>[] }>((tx) =>
        tx.sql(
          `select (counts ->> 'rejected')::bigint as rejected from ontology.sync_run where tenant_id = $1 and run_id = $2`,
          [...[tenant.tenantId, runId]],
        ),
      );
      const rejected = Number(rows[0]?.rejected ?? 0);
      const { maxRejectedRows: allowed } = backing;
      if (rejected > allowed) throw syncFailed('rows_rejected', { rows: String(rejected), allowed: String(allowed) });
      await faultpoint('O6');
    },
    endFormer: () => end(nextFormer),
    async endUnseen() {
      const isMore = await end(nextUnseen);
      await faultpoint('O7');
      return isMore;
    },
  };
}

/** The rows of a run. Throws a failure for a run whose backing dataset is gone. */
export async function syncRows({ db }: Pick<Kernel, 'db'>, tenant: Tenant, runId: string) {
  return db(tenant).transaction(async (tx) => {
    const run = await tx.findOne(SyncRunEntity, { runId });
    const backing = run && (await tx.findOne(BackingDatasetEntity, { backingDatasetId: run.backingDatasetId }));
    if (run === undefined || backing === undefined)
      throw new RunFailed({ code: 'run_failed', ...WORK_FAILURES.run_failed, retryable: false });
    return { run, backing };
  });
}

const CHANGES: Readonly<Record<string, SnapshotChange>> = { none: 'same', added: 'added', changed: 'changed' };

/** Pins the table, decides unless the run has decided, and notes that with the hold in one transaction. */
async function planSync(
  deps: SyncDeps,
  { tenant, runId, leaseEpoch, log }: SyncAttempt,
  { run, backing }: { run: SyncRunRow; backing: BackingDatasetRow },
): Promise<Planned> {
  const { kernel, inputs } = deps;
  const isDecided = run.mode !== null && run.mode !== undefined;
  const applied = backing.appliedSyncSpecFingerprint ?? null;
  const since = isDecided ? (run.previousSnapshotId ?? null) : (backing.appliedSnapshotId ?? null);
  const [pin] = await inputs.pin(tenant, [
    {
      datasetId: run.spec.dataset_id,
      ...(isDecided && { snapshotId: run.snapshotId ?? null }),
      ...(applied !== null && { since }),
    },
  ]);
  if (pin === undefined) throw kernelProblems.notFound();
  const effective = await effectiveOver(deps, { tenant, principal: SYNC_WORKER }, run.spec, pin);
  const { fingerprint } = effective;
  const change = CHANGES[pin.change?.kind ?? ''] ?? 'unknown';
  const { force } = run;
  const dirty = backing.dirtyRunId !== null && backing.dirtyRunId !== undefined && backing.dirtyRunId !== runId;
  const found = decide(applied, fingerprint, change, { force, dirty });
  const mode = isDecided ? (run.mode as SyncMode) : found.mode;
  const chunks = await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, runId, leaseEpoch);
    await inputs.hold(tx, runId, [pin]);
    const made = await chunksOf(tx, { runId, leaseEpoch }, run, effective);
    if (isDecided) return made;
    // Read before the table was pinned: what is pending since then stays so.
    const pending = backing.pendingSnapshotId ?? null;
    const values = [found.mode, found.replayReason, found.effectiveSpecChanged, fingerprint, pin.snapshotId, since];
    await tx.sql(DECIDED, [tenant.tenantId, runId, ...values, pending]);
    return made;
  });
  if (!isDecided) {
    const why = found.replayReason === null ? '' : ` (${found.replayReason})`;
    log.write({ level: 'info', step: 'plan', message: `the run does its work as ${mode}${why}` });
  }
  return { mode, pin, effective, chunks };
}

const DECIDED = `
update ontology.sync_run set mode = $3, replay_reason = $4, effective_spec_changed = $5,
  attempted_sync_spec_fingerprint = $6, snapshot_id = $7, previous_snapshot_id = $8, pending_snapshot_id = $9
where tenant_id = $1 and run_id = $2`;

async function chunksOf(
  tx: TenantTransaction,
  lease: Pick<ChunkOf, 'runId' | 'leaseEpoch'>,
  { spec, backingDatasetId }: SyncRunRow,
  { version }: EffectiveSync,
): Promise<ChunkOf> {
  const { entity_type_code: code, entity_type_version: number, merge_mode, delete_policy } = spec;
  const claimant = { backingDatasetId, typeCode: code };
  const replaces = merge_mode === 'replace';
  return {
    ...lease,
    claimant,
    type: { code, version: number, indexed: indexedIn(version.document) },
    // A property that the mapping has lost goes from the entities with it.
    owned: replaces ? ownedBy(spec) : bothOwned(ownedBy(spec), await formerlyOwned(tx, claimant)),
    valueFaults: valueFaults(version.document),
    replaces,
    mirrors: delete_policy === 'mirror',
  };
}

function assertKeys({ nulls, doubled }: MapAnswer, { spec }: SyncRunRow, log: WorkLog): void {
  if (nulls > 0 && spec.null_keys === 'fail') throw syncFailed('null_keys', { rows: String(nulls) });
  if (doubled.keys === 0 || spec.duplicate_keys !== 'fail') return;
  const message = `keys that several rows have, by their digests: ${doubled.hashes.join(', ')}`;
  log.write({ level: 'error', step: 'read', message });
  throw syncFailed('duplicate_keys', { keys: String(doubled.keys) });
}

function logRejected(log: WorkLog, seq: number, rejected: Rejected): void {
  const counted = Object.entries(rejected).map(([code, count]) => `${count} ${code}`);
  if (counted.length === 0) return;
  const message = `rows of chunk ${seq} were rejected: ${counted.join(', ')}`;
  log.write({ level: 'warn', step: 'chunk', message });
}
