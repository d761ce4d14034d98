import type { TenantTransaction } from '@weir/kernel';
import type { DiscoveryPhase, PullView } from '../../contract.ts';
import type { SpecDocument } from '../../model/pattern/spec-document.ts';
import type { Sql } from '../pattern/catalog.ts';

/** A row of `sources.inspection`, which all tenants share as they share patterns: a look at an image, and what it found. */
export interface InspectionRow {
  runId: string;
  /** The tenant whose run it is. */
  tenantId: string;
  /** As it was asked for. */
  image: string;
  /** Given by who asks, in place of what the image would say. */
  givenSpec: SpecDocument | undefined;
  phase: DiscoveryPhase;
  pull: PullView | undefined;
  /** The image with its digest, and what it says; once both are known. */
  found: { reference: string; document: SpecDocument } | undefined;
}

export async function addInspection(
  { sql, tenant }: TenantTransaction,
  { runId, image, givenSpec }: Pick<InspectionRow, 'runId' | 'image' | 'givenSpec'>,
): Promise<void> {
  await sql(
    `insert into sources.inspection (run_id, tenant_id, image, given_spec, phase, created_at)
     values ($1, $2, $3, $4, 'waiting', now())`,
    [runId, tenant.tenantId, image, givenSpec === undefined ? null : JSON.stringify(givenSpec)],
  );
}

export async function readInspection(sql: Sql, runId: string): Promise<InspectionRow | undefined> {
  const { rows } = await sql(
    'select tenant_id, image, given_spec, phase, pull, reference, found from sources.inspection where run_id = $1',
    [runId],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const { reference, found } = row as { reference: string | null; found: SpecDocument | null };
  return {
    runId,
    tenantId: String(row.tenant_id),
    image: String(row.image),
    givenSpec: (row.given_spec as SpecDocument | null) ?? undefined,
    phase: row.phase as DiscoveryPhase,
    pull: (row.pull as PullView | null) ?? undefined,
    found: reference === null || found === null ? undefined : { reference, document: found },
  };
}

export async function keepFound(
  { sql }: TenantTransaction,
  runId: string,
  { reference, document }: NonNullable<InspectionRow['found']>,
): Promise<void> {
  await sql('update sources.inspection set reference = $2, found = $3 where run_id = $1', [
    runId,
    reference,
    JSON.stringify(document),
  ]);
}
