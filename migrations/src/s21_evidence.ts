import type { Migration } from './migration.ts';

/** What the first event of a chain comes after. */
const GENESIS = '0'.repeat(64);

/**
 * Evidence is added to and never changed by the platform role: receipts, documents of patterns (a document that is
 * replaced in development becomes a revision), and the trail, whose events are linked by a function of the owner.
 */
export const s21_evidence: Migration = {
  name: 's21_evidence',
  after: 's20_own_namespaces',
  sql: `
revoke update, delete on sources.receipt from weir_app;

alter table sources.pattern_version add column revision integer not null default 1;
alter table sources.pattern_version drop constraint pattern_version_pkey;
alter table sources.pattern_version add primary key (pattern_id, version, revision);
revoke update on sources.pattern_version from weir_app;

revoke insert, update on platform.audit_chain from weir_app;
revoke insert on platform.audit_event from weir_app;
create policy owner on platform.audit_chain to weir_owner
  using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
create policy owner on platform.audit_event for insert to weir_owner
  with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
create function platform.append_audit_event(entry text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
  before record;
  linked text;
begin
  -- A conflict that changes nothing still locks the row and reads it as it is now.
  insert into platform.audit_chain as head (tenant_id, seq, hash) values (tenant, 0, '${GENESIS}')
    on conflict (tenant_id) do update set seq = head.seq returning head.seq, head.hash into before;
  linked := encode(sha256(convert_to(before.hash || entry, 'UTF8')), 'hex');
  update platform.audit_chain set seq = before.seq + 1, hash = linked where tenant_id = tenant;
  insert into platform.audit_event (tenant_id, seq, event, previous_hash, hash)
    values (tenant, before.seq + 1, entry::jsonb, before.hash, linked);
end
$$;
revoke all on function platform.append_audit_event(text) from public;
grant execute on function platform.append_audit_event(text) to weir_app;
`,
};
