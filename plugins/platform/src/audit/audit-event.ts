import type { AuditedCall, CallOutcome } from '@weir/kernel/contract';
import type { AuditResult } from '../contract.ts';

/** Longest text of a name that an event keeps; subjects and clients of identity providers are shorter. */
const MAX_NAME_LENGTH = 255;

/** What is known of a call when it begins: who, for whom, what, on which thing. */
export interface BegunCall {
  /** When it began, ISO 8601 in UTC. */
  at: string;
  kind: AuditedCall['principal']['kind'];
  subject: string | null;
  client: string | null;
  /** Alias of the tenant; null for calls that belong to none. */
  tenant: string | null;
  /** Id of the endpoint. */
  action: string;
  permission: string | null;
  /** Well-formed ids of the path, by name. */
  object: Readonly<Record<string, string>>;
  /** Where it came from; null when that is no address. */
  address: string | null;
  request_id: string;
}

/** A call with its end, as the chain keeps it. */
export interface AuditEntry extends BegunCall {
  result: AuditResult;
  status: number | null;
  code: string | null;
  location: string | null;
  repeated: boolean;
  /** Of how many calls alike this tells, when it is of more than one. */
  count?: number;
}

/** What of a call may be kept. */
export function begunCall(
  { endpoint, principal, tenant, params, address, requestId }: AuditedCall,
  now: Date,
): BegunCall {
  const known = principal.kind === 'anonymous' ? undefined : principal;
  return {
    at: now.toISOString(),
    kind: principal.kind,
    subject: known === undefined ? null : storable(known.subject),
    client: known === undefined ? null : storable(known.client),
    tenant: tenant?.alias ?? null,
    action: endpoint.id,
    permission: endpoint.access.kind === 'public' ? null : endpoint.access.permission,
    object: params,
    address: address === '' ? null : address,
    request_id: requestId,
  };
}

/** The entry of a call that was answered; without an outcome, of one whose process was lost before its end was noted. */
export function auditEntry(call: BegunCall, outcome: CallOutcome | undefined): AuditEntry {
  const { status, code, location, repeated = false } = outcome ?? {};
  const ended = { status: status ?? null, code: code ?? null, location: location ?? null, repeated };
  return { ...call, result: resultOf(status), ...ended };
}

/** The entry of calls alike that were refused before anybody looked at them, the last of which is told. */
export function denialEntry(call: BegunCall, outcome: CallOutcome, count = 1): AuditEntry {
  return { ...auditEntry(call, outcome), result: 'denied', ...(count > 1 ? { count } : {}) };
}

function resultOf(status: number | undefined): AuditResult {
  if (status === undefined) return 'unknown';
  if (status < 400) return 'done';
  if (status === 401 || status === 403) return 'denied';
  return status < 500 ? 'refused' : 'failed';
}

/** Postgres keeps neither NUL nor half a surrogate pair, and names may come from an identity provider. */
function storable(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).toWellFormed().replaceAll('\0', '\u{fffd}');
}
