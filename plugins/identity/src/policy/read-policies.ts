import type { TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import type { PolicyDocumentView, PolicyVersionView, PolicyView } from '../contract.ts';
import { PolicyEntity, type PolicyRow, PolicyVersionEntity, type PolicyVersionRow } from './entity.ts';

/** A policy that is not deleted; throws `not_found` for absent, foreign and deleted ones alike. */
export async function livePolicy(
  tx: TenantTransaction,
  policyId: string,
  options: { lock?: boolean } = {},
): Promise<PolicyRow> {
  const row = await tx.findOne(PolicyEntity, { policyId, deletedAt: null }, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

/** One version of a policy; throws `not_found`. */
export async function policyVersion(
  tx: TenantTransaction,
  policyId: string,
  version: number,
): Promise<PolicyVersionRow> {
  const row = await tx.findOne(PolicyVersionEntity, { policyId, version });
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

/** Policies as the wire shows them, each with its newest version. */
export async function policyViews(tx: TenantTransaction, rows: readonly PolicyRow[]): Promise<PolicyView[]> {
  if (rows.length === 0) return [];
  const newest: PolicyVersionRow[] = await tx.find(PolicyVersionEntity, {
    $or: rows.map(({ policyId, version }) => ({ policyId, version })),
  } as object);
  const versionOf = new Map(newest.map((version) => [version.policyId, version]));
  return rows.map((row) => ({
    ...versionView(versionOf.get(row.policyId) as PolicyVersionRow),
    name: row.name,
    kind: row.kind,
    status: row.status,
    cloned_from: row.clonedFrom ?? null,
    updated_at: row.updatedAt.toISOString(),
    etag: String(row.revision),
  }));
}

export function versionView(row: PolicyVersionRow): PolicyVersionView {
  return {
    policy_id: row.policyId,
    version: row.version,
    document: row.document as PolicyDocumentView,
    digest: row.digest,
    note: row.note ?? null,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
  };
}
