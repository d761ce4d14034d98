import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  againRejected,
  createStager,
  type LinesOf,
  openStore,
  type PartitionSpec,
  readMetadata,
  type StagedFile,
  type Stager,
  type StoreOptions,
  type TableSchema,
  takeLines,
} from '@weir/plugin-datasets/stage';
import { startPulse } from '@weir/processes';
import type { FromReplay, Replayed, ReplayPlan } from '../model/process/replay-messages.ts';
import { mergeParts } from './merge-parts.ts';
import { recordShape, rejectedRecord } from './record-shape.ts';
import { thrownFailure } from './thrown-failure.ts';

/**
 * Tries rejected lines again, in a process of its own: takes them out of their files, types them as rows, and writes what
 * is no row and what was not taken as new files of the quarantine table. Nothing is changed by it: the parent commits.
 */
async function replay(plan: ReplayPlan): Promise<Replayed> {
  const { workDir, store, select, rows, quarantine, runId } = plan;
  const scratch = join(workDir, 'replay');
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const io = openStore({ ...(store as Omit<StoreOptions, 'scratch'>), scratch: join(workDir, 'cache') });
  const metadata = await readMetadata(io, quarantine.metadataLocation);
  const taken = await takeLines({ io, scratch, metadata, select, asSent: rejectedRecord });
  const { superseded } = taken;
  if (taken.origins.length === 0) return { ...NOTHING, superseded };
  const stager = await createStager({ io, scratch: join(workDir, 'stage') });
  try {
    const { shape, folder } = rows;
    const copied = await stager.copy({
      source: taken.spool,
      shape: recordShape(shape.schema as TableSchema),
      schema: shape.schema as TableSchema,
      json: shape.json,
      spec: shape.spec as PartitionSpec,
      folder,
      runId,
      ...(shape.key === undefined ? {} : { key: shape.key, ordered: true }),
      position: 0,
      lines: taken.origins.length,
    });
    const { rejected } = copied;
    const unknown = copied.unknown.filter(({ name }) => !shape.extra.includes(name));
    const again = rejected === undefined ? [] : await againRejected(rejected, { origins: taken.origins, scratch });
    const counts = {
      lines: taken.origins.length,
      superseded,
      rows: copied.rows,
      rowsWithErrors: copied.rowsWithErrors,
      rowsWithExtra: copied.rowsWithExtra,
      rejected: rejected?.count ?? 0,
      reasons: rejected?.reasons ?? {},
      unknown,
    };
    const nothing = { files: [], staged: [], removed: [] };
    if (plan.stopAtUnknown && unknown.length > 0) return { ...counts, table: nothing, quarantine: nothing };
    const files = await quarantined(stager, plan, [...taken.kept, ...again]);
    const { merge } = rows;
    const parts = [{ files: copied.files }];
    const merging = merge && { kind: 'merge' as const, ...merge, shape: { ...shape, key: merge.key }, parts };
    const merged =
      merging && (await mergeParts({ io, stager, runId }, { ...merging, replacedFiles: [], isComplete: false }));
    return {
      ...counts,
      table: {
        files: merged?.files ?? copied.files,
        staged: [...copied.files, ...(merged?.files ?? [])],
        removed: merged?.removed ?? [],
      },
      quarantine: { files, staged: files, removed: taken.removed },
    };
  } finally {
    stager.close();
    await io.close();
  }
}

const NOTHING: Replayed = {
  lines: 0,
  superseded: 0,
  rows: 0,
  rowsWithErrors: 0,
  rowsWithExtra: 0,
  rejected: 0,
  reasons: {},
  unknown: [],
  table: { files: [], staged: [], removed: [] },
  quarantine: { files: [], staged: [], removed: [] },
};

/** Writes the lines that stay, those of each run and stream in a file of their own, as a sync does. */
async function quarantined(
  stager: Stager,
  { quarantine: { schema, folder } }: ReplayPlan,
  groups: readonly LinesOf[],
): Promise<StagedFile[]> {
  const files: StagedFile[] = [];
  for (const { runId, stream, rejected } of groups) {
    const request = { rejected: [rejected], schema: schema as TableSchema, folder, runId, stream };
    const file = await stager.quarantine(request);
    if (file !== undefined) files.push(file);
  }
  return files;
}

/** Tells the parent how it went, and ends once the message has left. */
async function carryOut(plan: ReplayPlan): Promise<void> {
  startPulse(() => process.send?.({ type: 'pulse' } satisfies FromReplay));
  const last: FromReplay = await replay(plan).then(
    (replayed) => ({ type: 'done', replayed }),
    async (error: unknown) => ({ type: 'failed', failure: await thrownFailure(error) }),
  );
  process.send?.(last, () => process.disconnect?.());
}

process.on('message', (plan: ReplayPlan) => void carryOut(plan));
// Without its parent nobody commits what it writes.
process.on('disconnect', () => process.exit(0));
