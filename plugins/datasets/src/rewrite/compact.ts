import { randomUUID } from 'node:crypto';
import { faultpoint, type Tenant } from '@weir/kernel';
import { type Bin, currentSchema, type RewriteRequest, type RewriteResult, sequenceOf } from '@weir/lakehouse';
import { removeListed } from '../commit/outdated-metadata.ts';
import { dataLocation, enterStaged, leaveStaged } from '../commit/staged-files.ts';
import type { TableRef } from '../contract.ts';
import { countRaces } from '../store/table-health.ts';
import { countReceipts, enterReceipts } from '../survey/receipts.ts';
import { bytesOfLastHour, type MaintenanceDeps, type Survey, surveyTable } from '../survey/survey.ts';
import { publishRewrite } from './publish-rewrite.ts';

/** Bytes that the rewrites of one commit read, unless one bin alone has more. */
const COMMIT_BYTES = 256 * 1024 * 1024;
/** Commits of one run: what is left waits for the next one. */
const MAX_COMMITS = 200;

export interface CompactionDeps extends MaintenanceDeps {
  /** Rewrites one bin, in a process of its own. */
  rewrite(request: RewriteRequest, signal: AbortSignal): Promise<RewriteResult>;
  /** Bytes that rewrites of a tenant may read in an hour. */
  bytesPerHour: number;
  /** Counts files that were put in the place of others, and bytes. */
  counted?: (figures: { files: number; read: number; written: number }) => void;
  /** How long a rewrite waits for a free moment, in milliseconds; by itself a minute. */
  patienceMs?: number;
}

export interface Compaction {
  ref: TableRef;
  runId: string;
  leaseEpoch: number;
  signal: AbortSignal;
  log(message: string, fields: Record<string, number | string>): void;
}

/** Rewrites the bins of a table, commit by commit, each planned on the table as it is then. Answers how many were rewritten. */
export async function compactTable(deps: CompactionDeps, tenant: Tenant, work: Compaction): Promise<number> {
  const tried = new Set<string>();
  let rewritten = 0;
  for (let commits = 0; commits < MAX_COMMITS; commits += 1) {
    work.signal.throwIfAborted();
    const survey = await surveyTable(deps, tenant, work.ref);
    if (survey === undefined) return rewritten;
    const bins = survey.plan.compact.filter(({ key }) => !tried.has(key));
    if (bins.length === 0) {
      if (commits === 0 && survey.plan.manifests) await joinManifests(deps, tenant, { work, survey });
      return rewritten;
    }
    if (await isSpent(deps, tenant)) {
      work.log('the budget of the hour is spent; the rest waits', { bins: bins.length });
      return rewritten;
    }
    const { won, lost } = await rewriteBins(deps, tenant, { work, survey, bins: firstBytes(bins) });
    for (const key of lost) tried.add(key);
    rewritten += won.length;
  }
  return rewritten;
}

const isSpent = async ({ kernel, bytesPerHour }: CompactionDeps, tenant: Tenant): Promise<boolean> =>
  (await kernel.db(tenant).transaction(bytesOfLastHour)) >= bytesPerHour;

function firstBytes(bins: readonly Bin[]): Bin[] {
  let bytes = 0;
  return bins.filter((bin, at) => {
    bytes += bin.bytes;
    return at === 0 || bytes <= COMMIT_BYTES;
  });
}

interface Batch {
  work: Compaction;
  survey: Survey;
  bins: readonly Bin[];
}

async function rewriteBins(
  deps: CompactionDeps,
  tenant: Tenant,
  { work, survey, bins }: Batch,
): Promise<{ won: string[]; lost: string[] }> {
  const { kernel } = deps;
  const { ref, runId, signal } = work;
  const { metadata } = survey.table;
  const db = kernel.db(tenant);
  const folder = `${dataLocation(metadata)}/${runId}-${work.leaseEpoch}-${randomUUID()}`;
  await faultpoint('M1');
  const from = await db.transaction(async (tx) => {
    await enterStaged(tx, runId, [{ ref, location: folder, isFolder: true }]);
    return countReceipts(tx, runId);
  });
  const results: RewriteResult[] = [];
  for (const bin of bins) results.push(await deps.rewrite(requestOf(survey, bin, folder), signal));
  await faultpoint('M2');
  const receipts = bins.map((bin, at) => ({
    filesBefore: bin.files.length,
    bytesBefore: bin.bytes,
    result: results[at] as RewriteResult,
  }));
  const keysOf = (chosen: (at: number) => boolean) => bins.filter((_, at) => chosen(at)).map(({ key }) => key);
  const published = await publishRewrite(
    deps,
    tenant,
    {
      ...{ ref, runId, signal, leaseEpoch: work.leaseEpoch, number: from, readAt: sequenceOf(metadata) },
      bins: bins.map((bin, at) => ({
        removed: bin.files.map(({ location }) => location),
        files: results[at]?.files ?? [],
        deletedRows: BigInt(results[at]?.deletedRows ?? 0),
      })),
      async receipts(tx, snapshotId, dropped) {
        // Files of bins that were dropped stay in the ledger with their folder.
        if (dropped.length === 0) await leaveStaged(tx, [folder]);
        const isLost = (at: number) => dropped.includes(at);
        const all = receipts.map((one, at) => ({ ...one, isLost: isLost(at) }));
        await enterReceipts(tx, { ref, runId, from, snapshotId }, all);
        await countRaces(tx, ref, { lost: keysOf(isLost), won: keysOf((at) => !isLost(at)) });
      },
    },
    deps.patienceMs,
  );
  const dropped = published?.dropped ?? bins.map((_, at) => at);
  if (published === undefined) {
    await db.transaction(async (tx) => {
      const all = receipts.map((one) => ({ ...one, isLost: true }));
      await enterReceipts(tx, { ref, runId, from, snapshotId: undefined }, all);
      await countRaces(tx, ref, { lost: keysOf(() => true), won: [] });
    });
  }
  const left = receipts.filter((_, at) => dropped.includes(at)).flatMap(({ result }) => result.files);
  await removeListed(
    deps,
    tenant,
    left.map(({ location }) => location),
  );
  const won = receipts.filter((_, at) => !dropped.includes(at));
  const figures = {
    files: won.reduce((sum, one) => sum + one.filesBefore, 0),
    read: receipts.reduce((sum, one) => sum + one.bytesBefore, 0),
    written: won.flatMap(({ result }) => result.files).reduce((sum, file) => sum + Number(file.file_size_in_bytes), 0),
  };
  deps.counted?.(figures);
  work.log('files were rewritten', { ...figures, bins: won.length, lost: dropped.length });
  return { won: keysOf((at) => !dropped.includes(at)), lost: keysOf((at) => dropped.includes(at)) };
}

function requestOf({ table: { metadata }, plan }: Survey, { files }: Bin, folder: string): RewriteRequest {
  const schema = currentSchema(metadata);
  const { schemas, properties, location, 'current-schema-id': id } = metadata;
  const top = new Set(schema.fields.map((field) => field.id));
  // The key of a table that says one: its rows lie together then, and a merge reads few files.
  const sortBy = (schema['identifier-field-ids'] ?? []).filter((key) => top.has(key));
  const facts = { schemas, properties, location, 'current-schema-id': id };
  return { files, schema, table: facts, sortBy, targetBytes: plan.targetBytes, folder };
}

async function joinManifests(
  deps: CompactionDeps,
  tenant: Tenant,
  { work, survey }: Omit<Batch, 'bins'>,
): Promise<void> {
  const { ref, runId, leaseEpoch, signal } = work;
  const readAt = sequenceOf(survey.table.metadata);
  const number = await deps.kernel.db(tenant).transaction((tx) => countReceipts(tx, runId));
  const receipts = async (): Promise<void> => undefined;
  const published = await publishRewrite(
    deps,
    tenant,
    { ref, runId, leaseEpoch, signal, number, readAt, bins: [], receipts },
    deps.patienceMs,
  );
  if (published !== undefined) work.log('manifests were joined', { manifests: survey.plan.figures.manifests });
}
