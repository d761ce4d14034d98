import {
  canonicalJson,
  decodePageToken,
  encodePageToken,
  type Kernel,
  type Tenant,
  type TenantTransaction,
} from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, kernelProblems } from '@weir/kernel/contract';
import type { AuditEventView, AuditFilter } from '../contract.ts';
import { headOf, PLATFORM_CHAIN } from './chain.ts';

/** Reads the chains. */
export function auditService({ db }: Pick<Kernel, 'db'>) {
  const list = (chain: Tenant, filter: AuditFilter) =>
    // The head is read first: an event behind it may be shown too, one before it cannot be missing.
    db(chain).transaction(async (tx) => ({ head: await headOf(tx), ...(await readPage(tx, filter)) }));
  return {
    list,
    listPlatform: (filter: AuditFilter) => list(PLATFORM_CHAIN, filter),
  };
}

/** Throws `invalid_page_token`, and `validation_failed` for a time that no clock shows. */
async function readPage(tx: TenantTransaction, filter: AuditFilter) {
  const { limit = DEFAULT_PAGE_SIZE, page_token, order = '-seq', actor, action, object, result } = filter;
  const { tenantId } = tx.tenant;
  const wanted = [actor, action, object, result, instant('from', filter.from), instant('to', filter.to)];
  const place = ['audit', tenantId, order, ...wanted.map((value) => value ?? null)];
  const behind = page_token === undefined ? null : seqOf(decodePageToken(place, page_token).id);
  const [direction, further] = order === 'seq' ? ['asc', '>'] : ['desc', '<'];
  const { rows } = await tx.sql(
    `select seq::text, event, previous_hash, hash from platform.audit_event
     where tenant_id = $1 and ($2::bigint is null or seq ${further} $2::bigint) and ${FILTERS}
     order by platform.audit_event.seq ${direction} limit $9`,
    [tenantId, behind, ...wanted.map((value) => value ?? null), limit + 1],
  );
  const items = rows.slice(0, limit).map(toView);
  const last = rows.length > limit ? items.at(-1) : undefined;
  const next = last && encodePageToken(place, { value: null, id: last.seq });
  return { items, next_page_token: next ?? null, total: null };
}

const FILTERS = `
  ($3::text is null or event->>'subject' = $3) and ($4::text is null or event->>'action' = $4)
  and ($5::text is null or right(event->>'location', length($5) + 1) = '/' || $5
    or jsonb_path_exists(event, '$.object.* ? (@ == $id)', jsonb_build_object('id', $5::text)))
  and ($6::text is null or event->>'result' = $6)
  and ($7::text is null or event->>'at' >= $7) and ($8::text is null or event->>'at' < $8)`;

/** As a row is told whatever somebody has made of it: its record tells the rest. */
function toView({ seq, event, previous_hash, hash }: Record<string, unknown>): AuditEventView {
  const kept = event as { [F in keyof AuditEventView]?: unknown };
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const ids = Object.entries(kept.object ?? {}).map(([name, id]) => [name, String(id)]);
  return {
    seq: String(seq),
    at: text(kept.at) ?? '',
    kind: text(kept.kind) ?? '',
    subject: text(kept.subject),
    client: text(kept.client),
    tenant: text(kept.tenant),
    action: text(kept.action) ?? '',
    permission: text(kept.permission),
    object: Object.fromEntries(ids),
    location: text(kept.location),
    result: text(kept.result) ?? '',
    status: typeof kept.status === 'number' ? kept.status : null,
    code: text(kept.code),
    repeated: kept.repeated === true,
    address: text(kept.address),
    count: typeof kept.count === 'number' ? kept.count : 1,
    request_id: text(kept.request_id) ?? '',
    previous_hash: String(previous_hash),
    record: canonicalJson(event),
    hash: String(hash),
  };
}

/** An instant as events hold it, so that their order is that of their texts. */
function instant(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  const errors = [{ pointer: `/query/${name}`, code: 'format' }];
  if (Number.isNaN(time.getTime())) throw kernelProblems.validationFailed({ errors });
  return time.toISOString();
}

function seqOf(text: string): string {
  if (!/^[1-9][0-9]{0,17}$/.test(text)) throw kernelProblems.invalidPageToken();
  return text;
}
