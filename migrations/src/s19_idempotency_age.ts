import type { Migration } from './migration.ts';

/** An index for the sweep of old keys. Fingerprints of earlier releases were unkeyed hashes of credentials: they go. */
export const s19_idempotency_age: Migration = {
  name: 's19_idempotency_age',
  after: 's18_credential_place',
  sql: `
alter table kernel.idempotency_key alter column fingerprint type text using '';
create index idempotency_key_age on kernel.idempotency_key (tenant_id, created_at);
`,
};
