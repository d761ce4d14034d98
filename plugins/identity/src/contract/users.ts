import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  TENANT_ROLES,
  Timestamp,
} from '@weir/kernel/contract';
import { readUsers } from './access.ts';

/** A subject as OpenID Connect allows it: at most 255 printable ASCII characters. */
export const Subject = Type.String({ pattern: '^[!-~]{1,255}$', description: 'Subject at the identity provider' });

/** A person as the last token that was seen of them said. */
export const User = Type.Object({
  sub: Type.String(),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  roles: Type.Array(OneOf(TENANT_ROLES), { description: 'Roles in this tenant' }),
  last_seen: Timestamp,
});
export type UserView = Static<typeof User>;

/** `GET /users`: admins and services see the people of the tenant, others themselves. */
export const listUsers = endpoint({
  id: 'identity.list_users',
  method: 'GET',
  path: '/users',
  summary: 'List the people who were seen in this tenant',
  access: readUsers,
  query: listQuery(['sub', 'last_seen'], {}),
  response: Page(User),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'users list', columns: ['sub', 'name', 'email', 'roles', 'last_seen'] },
});

/** `GET /users/{sub}` */
export const getUser = endpoint({
  id: 'identity.get_user',
  method: 'GET',
  path: '/users/:sub',
  summary: 'Read one person',
  access: readUsers,
  params: Closed({ sub: Subject }),
  response: User,
  errors: [kernelProblems.notFound],
  cli: 'users get',
});
