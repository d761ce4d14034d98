import type { Kernel, PageOrders, PageRequest } from '@weir/kernel';
import { kernelProblems, type Principal, rolesIn, subjectOf, type Tenant } from '@weir/kernel/contract';
import type { UserView } from '../contract.ts';
import { PersonEntity, type PersonRow } from './entity.ts';
import type { People } from './record-people.ts';

const ORDERS: PageOrders = { orders: { sub: 'sub', last_seen: 'lastSeen' }, first: 'sub', id: 'sub' };

/** Whether a caller sees all people of a tenant; the route's capability let a service in. */
function seesAll(principal: Principal, tenant: Tenant): boolean {
  return principal.kind === 'service' || rolesIn(principal, tenant).includes('admin');
}

/** Who was seen in a tenant. */
export function personService({ db, people }: Pick<Kernel, 'db'> & { people: People }) {
  return {
    /** Admins see everybody, others themselves. */
    list(tenant: Tenant, principal: Principal, request: PageRequest) {
      return db(tenant).transaction(async (tx) => {
        if (principal.kind === 'user') await people.note(tx, principal);
        const where = seesAll(principal, tenant) ? {} : { sub: subjectOf(principal) };
        const { items, next_page_token } = await tx.page(PersonEntity, where, request, ORDERS);
        return { items: items.map(viewOf), next_page_token, total: null };
      });
    },

    /** Throws `forbidden_role` for anybody else's subject, known or not, unless the caller sees all; then `not_found`. */
    async get(tenant: Tenant, principal: Principal, sub: string): Promise<UserView> {
      const self = sub === subjectOf(principal);
      if (!self && !seesAll(principal, tenant)) throw kernelProblems.forbiddenRole();
      return db(tenant).transaction(async (tx) => {
        if (self && principal.kind === 'user') await people.note(tx, principal);
        const row = await tx.findOne(PersonEntity, { sub });
        if (row === undefined) throw kernelProblems.notFound();
        return viewOf(row);
      });
    },
  };
}

function viewOf({ sub, name, email, roles, lastSeen }: PersonRow): UserView {
  return { sub, name: name ?? null, email: email ?? null, roles, last_seen: lastSeen.toISOString() };
}
