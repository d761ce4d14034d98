import type { CredentialView } from '../../contract.ts';
import { pointerMatcher } from '../config/walk-config.ts';
import type { CredentialRow } from './entity.ts';

/** All of a credential that may be known. An allow-list: where its values lie is not in it. Pure. */
export function credentialView(row: CredentialRow, references: number): CredentialView {
  const { declaredFields, fields } = row;
  const declared = declaredFields.map((field) => {
    const names = pointerMatcher([field]);
    return { field, present: fields.some(names) };
  });
  return {
    credential_ref: row.credentialRef,
    name: row.name,
    kind: row.kind,
    fields: declared,
    version: row.version,
    status: row.status,
    rotated_at: row.rotatedAt.toISOString(),
    reference_count: references,
    etag: String(row.version),
  };
}
