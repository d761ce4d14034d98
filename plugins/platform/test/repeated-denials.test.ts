import type { Tenant } from '@weir/kernel';
import type { AuditedCall } from '@weir/kernel/contract';
import t from 'tap';
import { repeatedDenials } from '../src/audit/repeated-denials.ts';
import { listAudit } from '../src/contract.ts';

const tenantOf = (alias: string): Tenant => ({ tenantId: `id-${alias}`, alias, scope: alias });
const OUTCOME = { status: 429, code: 'rate_limited', location: undefined, repeated: false };

t.test(
  'the chain of one tenant fails → the others are reported, and its count is kept until it does not',
  async (t) => {
    const appended: [alias: string, count: number][] = [];
    let isBroken = false;
    let time = 0;
    const { denied, flush } = repeatedDenials(
      async ({ alias }, entry) => {
        if (isBroken && alias === 'first') throw new Error('the chain is locked');
        appended.push([alias, (entry as { count?: number }).count ?? 1]);
      },
      () => time,
    );
    const call = (alias: string) => {
      const principal = { kind: 'user', subject: 'ann', client: 'c', organizations: [], realmRoles: [] } as const;
      const asked = { endpoint: listAudit, principal, tenant: tenantOf(alias), params: {}, address: '192.0.2.1' };
      return denied({ ...asked, requestId: '0'.repeat(32) } as AuditedCall, OUTCOME);
    };
    for (const alias of ['first', 'second', 'first', 'second', 'first']) await call(alias);
    appended.length = 0;
    time += 60_000;
    isBroken = true;
    await t.rejects(flush(), { message: 'the chain is locked' });
    t.strictSame(appended.splice(0), [['second', 1]]);
    isBroken = false;
    await flush();
    t.strictSame(appended.splice(0), [['first', 2]]);
    await flush(true);
    t.strictSame(appended, [], 'each once');
  },
);
