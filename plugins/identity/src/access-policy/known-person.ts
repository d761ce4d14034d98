import type { TenantTransaction } from '@weir/kernel';
import type { KnownPrincipal } from '@weir/kernel/contract';
import { PersonEntity, type PersonRow } from '../person/entity.ts';

/** An admin who was not seen for so long may be none any more. */
const SEEN_DAYS = 90;
const MAX_ADMINS = 200;

/** A person as a caller, by what the last token that was seen said. */
export function knownPerson({ sub, name, email, client, roles }: PersonRow, alias: string): KnownPrincipal {
  return {
    ...{ kind: 'user', subject: sub, client, organizations: [alias], realmRoles: [], tenantRoles: { [alias]: roles } },
    ...(name ? { name } : {}),
    ...(email ? { email } : {}),
  };
}

/** The admins of a tenant who were seen lately, the last ones first. */
export async function knownAdmins(tx: TenantTransaction): Promise<KnownPrincipal[]> {
  const since = new Date(Date.now() - SEEN_DAYS * 24 * 60 * 60 * 1000);
  const people: PersonRow[] = await tx.find(PersonEntity, { lastSeen: { $gt: since } } as object, {
    orderBy: { lastSeen: 'desc' },
    limit: MAX_ADMINS,
  });
  return people.filter(({ roles }) => roles.includes('admin')).map((row) => knownPerson(row, tx.tenant.alias));
}

/** An admin of whom nothing else is known: somebody who comes for the first time. */
export function someAdmin(alias: string): KnownPrincipal {
  return { kind: 'user', subject: 'admin', client: 'any', organizations: [alias], realmRoles: ['admin'] };
}
