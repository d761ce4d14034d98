import * as tools from '@weir/migrations';
import { inCall, poolTurns } from '@weir/turns';
import { pino } from 'pino';
import t from 'tap';
import { until } from '../../test/until.ts';
import { openDatabase } from '../src/persistence/open-database.ts';
import { testDatabase } from '../src/testing/test-database.ts';

const POOL = 6;
const log = pino({ level: 'silent' });

t.test(
  'the pool under the flood of one tenant → the next connection is another tenant’s, and sweeps have theirs',
  async (t) => {
    const database = await testDatabase(t, tools);
    const [acme, other] = [await database.tenant('acme'), await database.tenant('other')];
    const { db, close } = await openDatabase({
      ...{ ...database.app, name: database.app.database, entities: [], log },
      ...{ poolSize: POOL, inTurn: poolTurns(POOL) },
    });
    t.teardown(close);
    const callOf = (tenant: string) => ({
      who: () => ({ tenant, caller: 'a' }),
      gone: () => new AbortController().signal,
    });
    const held: (() => void)[] = [];
    const begun: string[] = [];
    let isCalm = false;
    /** Holds a connection until it is let go. */
    const hold = (tenant: typeof acme) =>
      inCall(callOf(tenant.tenantId), () =>
        db(tenant).transaction(async (tx) => {
          begun.push(tenant.alias);
          if (!isCalm) await new Promise<void>((resolve) => held.push(resolve));
          return (await tx.sql('select current_setting($1) as tenant', ['app.tenant'])).rows[0]?.tenant;
        }),
      );
    const flood = Array.from({ length: 60 }, () => hold(acme));
    await until('a flood', () => held.length === POOL - 2);
    const sweep = await db(other).transaction(async (tx) => (await tx.sql('select 1 as one', [])).rows[0]?.one);
    t.equal(sweep, 1, 'a sweep goes on beside it');
    t.strictSame(
      begun,
      Array.from({ length: POOL - 2 }, () => 'acme'),
      'alone it has all but those of sweeps',
    );
    const theirs = hold(other);
    held.shift()?.();
    await until('another one that began', () => begun.length > POOL - 2);
    t.equal(begun.at(-1), 'other');
    isCalm = true;
    for (const letGo of held.splice(0)) letGo();
    t.equal(await theirs, other.tenantId);
    t.strictSame(new Set(await Promise.all(flood)), new Set([acme.tenantId]), 'nobody is refused for want of patience');
  },
);
