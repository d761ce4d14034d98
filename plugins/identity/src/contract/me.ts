import { type Static, Type } from '@sinclair/typebox';
import { endpoint, Id, Nullable, OneOf, TENANT_ROLES, Timestamp } from '@weir/kernel/contract';
import { readMe } from './access.ts';

/** Who calls, as the credential of the call says it. */
export const Me = Type.Object({
  kind: OneOf(['user', 'delegation', 'service', 'api_token']),
  subject: Type.String({ description: 'At the identity provider; of an API token that of its maker' }),
  client: Type.String({ description: 'What the credential was made for' }),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  tenants: Type.Array(
    Type.Object({
      alias: Type.String(),
      roles: Type.Array(OneOf(TENANT_ROLES), { description: 'None for a service, which has capabilities' }),
    }),
    { description: 'Those of the credential that there are here' },
  ),
  all_tenants: Type.Boolean({ description: 'A service that was given every tenant, none of which is listed' }),
  platform_admin: Type.Boolean(),
  capabilities: Nullable(
    Type.Array(Type.String(), { description: 'Of a service or a delegation; null for callers that need none' }),
  ),
  api_token_id: Nullable(Id),
  expires_at: Nullable(Timestamp),
});
export type MeView = Static<typeof Me>;

/** `GET /me`: belongs to no tenant and asks for no role. */
export const getMe = endpoint({
  id: 'identity.get_me',
  method: 'GET',
  path: '/me',
  summary: 'Show the caller with their tenants and roles',
  description: 'What an access policy forbids on top is not in it.',
  access: readMe,
  response: Me,
  cli: 'whoami',
});
