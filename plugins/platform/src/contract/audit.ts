import { type Static, Type } from '@sinclair/typebox';
import {
  endpoint,
  kernelProblems,
  Nullable,
  OneOf,
  Page,
  paging,
  permission,
  platformPermission,
  Timestamp,
} from '@weir/kernel/contract';

/** The hash before the first event of a chain. */
export const AUDIT_GENESIS = '0'.repeat(64);

/** How a call ended: `unknown` when its process was lost before the end was written down. */
export const AUDIT_RESULTS = ['done', 'denied', 'refused', 'failed', 'unknown'] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

const Name = Nullable(Type.String());

/** Who did what, on which thing, and how it ended; no values of the request. */
export const AuditEvent = Type.Object({
  seq: Type.String({ description: 'Its number in the chain, from 1 on without a gap' }),
  at: Timestamp,
  kind: Type.String({ description: 'user, service or another kind of caller; anonymous without a good credential' }),
  subject: Name,
  client: Name,
  tenant: Name,
  action: Type.String({ description: 'Id of the endpoint' }),
  permission: Name,
  object: Type.Record(Type.String(), Type.String(), { description: 'Ids of the path by name' }),
  location: Nullable(Type.String({ description: 'What was made or started' })),
  result: Type.String({ description: AUDIT_RESULTS.join(', ') }),
  status: Nullable(Type.Integer()),
  code: Nullable(Type.String({ description: 'Code of the problem that was answered' })),
  repeated: Type.Boolean({ description: 'Whether the answer was that of an earlier call with the same key' }),
  address: Nullable(
    Type.String({ description: 'Where the call came from: the peer, or what a proxy that is trusted says' }),
  ),
  count: Type.Integer({
    description: 'Calls alike that it tells of: more than 1 where a limit refused many in a minute',
  }),
  request_id: Type.String({ description: 'The trace id of the answer' }),
  previous_hash: Type.String(),
  record: Type.String({ description: 'The event as it was hashed: JSON with sorted keys' }),
  hash: Type.String({ description: 'SHA-256 of previous_hash followed by record, as hex' }),
});
export type AuditEventView = Static<typeof AuditEvent>;

/** The last event of a chain; number 0 and zeros of an empty one. */
const AuditHead = Type.Object({ seq: Type.String(), hash: Type.String() });

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));
const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

const AuditQuery = Type.Object(
  {
    ...paging(),
    order: Type.Optional(OneOf(['seq', '-seq'], { default: '-seq', description: 'Oldest or newest first' })),
    actor: Text('Subject of the caller'),
    action: Text('Id of an endpoint, such as sources.create_source'),
    object: Text('An id of the path, or of what was made'),
    result: Type.Optional(OneOf(AUDIT_RESULTS, { description: 'Only calls that ended like this' })),
    from: Time('Calls that began at this time or later'),
    to: Time('Calls that began before this time'),
  },
  { additionalProperties: false },
);
export type AuditFilter = Static<typeof AuditQuery>;

const AuditPage = Type.Composite([Page(AuditEvent), Type.Object({ head: AuditHead })]);

export const listAudit = endpoint({
  id: 'platform.list_audit',
  method: 'GET',
  path: '/audit',
  summary: 'List who changed what in the tenant and who was denied, newest first',
  description:
    'Every changing call and every denial is one event; what a rate or a tenant header refuses again within a minute is counted in one. Each holds the hash of the one before it; head is the last of the chain. Events are kept for ever.',
  access: permission('audit:read', 'admin', { capability: 'audit:read' }),
  query: AuditQuery,
  response: AuditPage,
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'audit list', columns: ['seq', 'at', 'subject', 'action', 'object', 'result', 'status', 'code'] },
});

export const listPlatformAudit = endpoint({
  id: 'platform.list_platform_audit',
  method: 'GET',
  path: '/audit/platform',
  summary: 'List the calls that belong to no tenant: changes by platform admins, and callers without a credential',
  access: platformPermission('audit:read-platform', { capability: 'audit:read-platform' }),
  query: AuditQuery,
  response: AuditPage,
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'audit platform list',
    columns: ['seq', 'at', 'subject', 'action', 'object', 'result', 'status', 'code'],
  },
});
