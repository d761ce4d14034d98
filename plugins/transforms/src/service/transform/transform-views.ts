import type { Kernel, TenantTransaction } from '@weir/kernel';
import type { TransformView } from '../../contract.ts';
import { changedWords } from '../../model/changed-words.ts';
import { candidateEtag, definitionOf, draftOf, isInForce } from '../../model/definition.ts';
import type { TransformRow } from '../../model/entities.ts';
import { lastRuns } from './last-runs.ts';

export async function transformView(
  kernel: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  row: TransformRow,
): Promise<TransformView> {
  return (await transformViews(kernel, tx, [row]))[0] as TransformView;
}

/** Transforms as the wire shows them, their newest runs read at once. */
export async function transformViews(
  kernel: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  rows: readonly TransformRow[],
): Promise<TransformView[]> {
  const last = await lastRuns(
    kernel,
    tx,
    rows.map(({ transformId }) => transformId),
  );
  return rows.map((row) => viewOf(row, last.get(row.transformId) ?? null));
}

function viewOf(row: TransformRow, lastRun: TransformView['last_run']): TransformView {
  return {
    ...{ transform_id: row.transformId, name: row.name, description: row.description ?? null, tags: row.tags },
    ...{ dialect: row.dialect, ...definitionOf(row) },
    ...{ version: isInForce(row) ? (row.currentVersion ?? null) : null, draft: draftView(row) },
    ...{ artifact_id: row.artifactId ?? null, hydrated_at: row.hydratedAt?.toISOString() ?? null },
    ...{ archived: Boolean(row.archivedAt), archived_at: row.archivedAt?.toISOString() ?? null },
    ...{ last_run: lastRun, created_by: row.createdBy, etag: String(row.version) },
    ...{ created_at: row.createdAt.toISOString(), updated_at: row.updatedAt.toISOString() },
  };
}

function draftView(row: TransformRow): TransformView['draft'] {
  const draft = draftOf(row);
  if (draft === undefined) return null;
  const changes = isInForce(row) ? changedWords(definitionOf(row), draft) : [];
  const updated_at = (row.draftedAt ?? row.updatedAt).toISOString();
  return { ...draft, changes, updated_by: row.draftedBy ?? row.createdBy, updated_at, etag: candidateEtag(row) };
}
