import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Name,
  Nullable,
  OneOf,
  Page,
  TENANT_ROLES,
  Timestamp,
} from '@weir/kernel/contract';
import { readTokens, writeTokens } from './access.ts';
import { identityProblems } from './problems.ts';

/** How every API token begins; no access token of an identity provider does. */
export const TOKEN_PREFIX = 'weir_';
export const MAX_TOKEN_DAYS = 365;
export const DEFAULT_TOKEN_DAYS = 90;

/** An API token as it is read; its secret was shown once. */
export const ApiToken = Type.Object({
  api_token_id: Id,
  name: Name,
  role: OneOf(TENANT_ROLES, { description: 'The highest role that it can have' }),
  effective_role: Nullable(
    OneOf(TENANT_ROLES, {
      description:
        'Its role now: never above that of its maker; null while its maker has none or has not signed in for long, when it is refused',
    }),
  ),
  created_by: Type.String({ description: 'Subject of the person who made it' }),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type ApiTokenView = Static<typeof ApiToken>;

const tokenParams = Closed({ api_token_id: idOf('API token') });

/** `POST /api-tokens` */
export const createApiToken = endpoint({
  id: 'identity.create_api_token',
  method: 'POST',
  path: '/api-tokens',
  summary: 'Create an API token; its text is shown only now',
  description:
    'Its holder acts as you, up to its role. Programs send it as a bearer token; weir reads it from WEIR_TOKEN or WEIR_TOKEN_FILE.',
  access: writeTokens,
  body: Closed({
    name: Name,
    role: OneOf(TENANT_ROLES, { description: 'At most your own' }),
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TOKEN_DAYS,
        default: DEFAULT_TOKEN_DAYS,
        description: `Days until it expires, at most ${MAX_TOKEN_DAYS}`,
      }),
    ),
  }),
  example: { name: 'ci', role: 'viewer', expires_in_days: 30 },
  response: Type.Composite([
    ApiToken,
    Type.Object({
      token: Nullable(
        Type.String({ description: 'The bearer credential; it cannot be read again, not even by an idempotency key' }),
      ),
    }),
  ]),
  shownOnce: ['token'],
  status: 201,
  location: '/api-tokens/:api_token_id',
  errors: [
    identityProblems.tokenRoleTooHigh,
    identityProblems.tokenNeedsPerson,
    identityProblems.tokenNameTaken,
    identityProblems.tokenLimit,
  ],
  cli: {
    words: 'api-tokens create',
    flags: { expires_in_days: 'days' },
    examples: [
      ['A token for a pipeline that starts syncs', 'weir api-tokens create --name ci --role pipeline_editor'],
      [
        'Its text alone, into a file',
        '(umask 077; weir api-tokens create --name ci --role viewer --query token -o yaml > token)',
      ],
    ],
  },
});

/** `GET /api-tokens`: one's own; admins see those of the tenant. */
export const listApiTokens = endpoint({
  id: 'identity.list_api_tokens',
  method: 'GET',
  path: '/api-tokens',
  summary: 'List the API tokens that are not revoked',
  access: readTokens,
  query: listQuery(['created_at', 'name', 'expires_at'], {
    name: Type.Optional({ ...Name, description: 'Only tokens of this name' }),
  }),
  response: Page(ApiToken),
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'api-tokens list',
    columns: ['api_token_id', 'name', 'role', 'effective_role', 'created_by', 'expires_at', 'last_used_at'],
  },
});

/** `GET /api-tokens/{api_token_id}` */
export const getApiToken = endpoint({
  id: 'identity.get_api_token',
  method: 'GET',
  path: '/api-tokens/:api_token_id',
  summary: 'Read one API token, without its secret',
  access: readTokens,
  params: tokenParams,
  response: ApiToken,
  errors: [kernelProblems.notFound],
  cli: 'api-tokens get',
});

/** `DELETE /api-tokens/{api_token_id}`: it is refused everywhere within five seconds. */
export const revokeApiToken = endpoint({
  id: 'identity.revoke_api_token',
  method: 'DELETE',
  path: '/api-tokens/:api_token_id',
  summary: 'Revoke an API token; within five seconds it is refused everywhere',
  access: writeTokens,
  params: tokenParams,
  status: 204,
  errors: [kernelProblems.notFound],
  cli: 'api-tokens revoke',
});
