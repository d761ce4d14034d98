import { listAudit } from '@weir/plugin-platform/contract';
import { createSource } from '@weir/plugin-sources/contract';
import fc from 'fast-check';
import t from 'tap';
import { type Break, checkChain } from '../../cli/src/commands/operate/audit-chain.ts';
import { type TestPlatform, testPlatform } from '../platform.ts';

const EVENTS = 8;
/** Each run of the law writes to a database, reads through the API, and puts everything back. */
const LAW_RUNS = 120;
const OWN = "tenant_id = (select tenant_id from kernel.tenant where alias = 'acme')";

/** What `weir audit verify` finds, read through the API in pages of three. */
async function found(world: TestPlatform): Promise<Break | undefined> {
  const who = { token: await world.token('acme'), tenant: 'acme' };
  const page = async (token: string | null) => {
    const query = { order: 'seq', limit: 3, ...(token === null ? {} : { page_token: token }) } as const;
    const answer = await world.call(who, listAudit, { query });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body;
  };
  let { items, head, next_page_token } = await page(null);
  const check = checkChain(head);
  for (;;) {
    for (const event of items) {
      const broken = check.add(event);
      if (broken !== undefined) return broken;
    }
    if (next_page_token === null) return check.end();
    ({ items, next_page_token } = await page(next_page_token));
  }
}

/** One byte of a text replaced by another digit or letter, which may be no JSON any more. */
function changedAt(text: string, at: number, by: string): string {
  const place = at % text.length;
  return `${text.slice(0, place)}${by}${text.slice(place + 1)}`;
}

t.test('whatever is done to a stored chain is found at its first event, in whatever column', async (t) => {
  const world = await testPlatform(t, t.testdir());
  const who = { token: await world.token('acme'), tenant: 'acme' };
  for (let n = 0; n < EVENTS; n += 1) {
    await world.call(who, createSource, { body: { name: `s${n}`, pattern_id: 'absent', source_config: {} } });
  }
  t.equal(await found(world), undefined, 'as it was written');
  const sql = world.database.peek;
  await sql(`create temporary table kept as select * from platform.audit_event where ${OWN}`);
  const restore = async () => {
    await sql(`delete from platform.audit_event where ${OWN}`);
    await sql('insert into platform.audit_event select * from kept');
  };
  const changes: Record<string, (seq: number, at: number, by: string) => Promise<number | undefined>> = {
    async event(seq, at, by) {
      const [row] = await sql(`select event::text as text from platform.audit_event where ${OWN} and seq = $1`, [seq]);
      const text = changedAt(String(row?.text), at, by);
      const same = `update platform.audit_event set event = $2::jsonb where ${OWN} and seq = $1 and event <> $2::jsonb returning 1`;
      const done = await sql(same, [seq, text]).catch(() => []);
      return done.length === 1 ? seq : undefined;
    },
    async hash(seq, at, by) {
      const [row] = await sql(`select hash from platform.audit_event where ${OWN} and seq = $1`, [seq]);
      const hash = changedAt(String(row?.hash), at, by);
      await sql(`update platform.audit_event set hash = $2 where ${OWN} and seq = $1`, [seq, hash]);
      return hash === row?.hash ? undefined : seq;
    },
    async previous_hash(seq, at, by) {
      const [row] = await sql(`select previous_hash from platform.audit_event where ${OWN} and seq = $1`, [seq]);
      const hash = changedAt(String(row?.previous_hash), at, by);
      await sql(`update platform.audit_event set previous_hash = $2 where ${OWN} and seq = $1`, [seq, hash]);
      return hash === row?.previous_hash ? undefined : seq;
    },
    async deletion(seq) {
      await sql(`delete from platform.audit_event where ${OWN} and seq = $1`, [seq]);
      return seq;
    },
    async cut(seq) {
      await sql(`delete from platform.audit_event where ${OWN} and seq >= $1`, [seq]);
      return seq;
    },
    async swap(seq) {
      const first = Math.min(seq, EVENTS - 1);
      await sql(`update platform.audit_event set seq = -seq where ${OWN} and seq in ($1::bigint, $1::bigint + 1)`, [
        first,
      ]);
      await sql(`update platform.audit_event set seq = 2 * $1::bigint + 1 + seq where ${OWN} and seq < 0`, [first]);
      return first;
    },
    async insertion(seq) {
      await sql(`update platform.audit_event set seq = -seq - 1 where ${OWN} and seq >= $1`, [seq]);
      await sql(`update platform.audit_event set seq = -seq where ${OWN} and seq < 0`);
      await sql(
        `insert into platform.audit_event select tenant_id, $1::bigint, event || '{"status": 299}', previous_hash, hash
         from platform.audit_event where ${OWN} and seq = $1::bigint + 1`,
        [seq],
      );
      return seq;
    },
  };
  const law = fc.asyncProperty(
    fc.constantFrom(...Object.keys(changes)),
    fc.integer({ min: 1, max: EVENTS }),
    fc.nat(),
    fc.constantFrom(...'0123456789abcdefXYZ"{ '),
    async (change, seq, at, by) => {
      const wrong = await changes[change]?.(seq, at, by);
      const broken = await found(world);
      await restore();
      if (broken?.seq !== (wrong === undefined ? undefined : String(wrong))) {
        throw new Error(`${change} of ${seq}: ${JSON.stringify(broken)}, not ${wrong}`);
      }
    },
  );
  await t.resolves(fc.assert(law, { numRuns: LAW_RUNS }));
  t.equal(await found(world), undefined, 'and as it was again');
});
