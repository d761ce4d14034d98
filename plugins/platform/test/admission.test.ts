import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { pace } from '../../../test/until.ts';
import { type AdmissionView, getAdmission, listAdmissionChanges, setAdmission } from '../src/contract.ts';
import { bodyOf, type World, world } from './kit.ts';

const CLOSED = { code: 'admission_closed' } as unknown as Error;

async function set({ admin }: World, open: boolean, reason?: string): Promise<AdmissionView> {
  return bodyOf(await admin(setAdmission, { body: { open, ...(reason === undefined ? {} : { reason }) } }));
}

async function runs({ database }: World): Promise<number> {
  return (await database.peek('select 1 from kernel.run')).length;
}

t.test('while admission is closed no run is made, whoever asks; what has begun goes on', async (t) => {
  const here = await world(t);
  const { as, admin, kernel, start } = here;
  const acme = await here.tenant('acme');
  const before = await start(acme);
  t.match(await set(here, false, 'maintenance'), {
    open: false,
    reason: 'maintenance',
    changed_by: 'platform_admin@acme',
  });
  await t.rejects(start(acme), CLOSED);
  t.match(await start(acme).catch((error) => error), { details: { retryAfterSeconds: Number }, status: 503 });
  t.ok(await kernel.runs.begin(acme, before), 'a run that was there is taken');
  t.ok(await kernel.runs.finish(acme, before, { status: 'succeeded' }));
  t.equal(await runs(here), 1);
  for (const role of ['viewer', 'pipeline_editor', 'admin']) {
    for (const endpoint of [getAdmission, listAdmissionChanges])
      t.match(await as('acme', role).call(endpoint), { status: 403, problem: { code: 'forbidden_role' } });
    t.match(await as('acme', role).call(setAdmission, { body: { open: true } }), { status: 403 });
  }
  await set(here, true);
  t.ok(await start(acme));
  t.match(await admin(getAdmission), { body: { open: true, reason: null } });
});

t.test(
  'every change is kept with who made it and why, newest first, in pages; what changes nothing is none',
  async (t) => {
    const here = await world(t);
    await here.tenant('acme');
    for (let n = 0; n < 5; n += 1) {
      await set(here, n % 2 === 1, `reason ${n}`);
      await set(here, n % 2 === 1, `reason ${n}`);
    }
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const query = { limit: 2, ...(page_token === undefined ? {} : { page_token }) };
      const { items, next_page_token } = bodyOf(await here.admin(listAdmissionChanges, { query }));
      t.ok(items.length <= 2);
      seen.push(...items.map(({ reason, open, changed_by }) => `${reason} ${open} ${changed_by}`));
      page_token = next_page_token ?? undefined;
    } while (page_token !== undefined);
    t.strictSame(
      seen,
      [4, 3, 2, 1, 0].map((n) => `reason ${n} ${n % 2 === 1} platform_admin@acme`),
    );
    for (const page_token of ['x', '!', Buffer.from('["-change_id","1","-1"]').toString('base64url')]) {
      t.match(await here.admin(listAdmissionChanges, { query: { page_token } }), {
        status: 400,
        problem: { code: 'invalid_page_token' },
      });
    }
  },
);

t.test('a change is held to the etag that If-Match names', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const first = await here.admin(getAdmission);
  const etag = first.headers.get('etag') ?? '';
  t.match(await here.admin(setAdmission, { body: { open: false } }, { 'if-match': etag }), { ok: true });
  for (const open of [true, false]) {
    const stale = await here.admin(setAdmission, { body: { open } }, { 'if-match': etag });
    t.match(stale, { status: 412, problem: { code: 'precondition_failed' } });
  }
  t.match(await here.admin(setAdmission, { body: { open: true } }, { 'if-match': '*' }), { body: { open: true } });
  for (const body of [
    {},
    { open: 'no' },
    { open: true, reason: '' },
    { open: true, why: 'x' },
    { open: true, reason: 'x'.repeat(501) },
  ])
    t.match(
      await here.admin(setAdmission, { body: body as never }),
      { status: 400 },
      JSON.stringify(body).slice(0, 40),
    );
});

t.test('of many who change the switch at once each change is one entry, and the last entry is the state', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => here.admin(setAdmission, { body: { open: n % 2 === 0, reason: `by ${n}` } })),
  );
  t.strictSame(
    [...new Set(answers.map(({ status }) => status))].filter((status) => status !== 200 && status !== 409),
    [],
  );
  const entries = await here.database.peek('select open, reason from platform.admission_change order by change_id');
  t.equal(entries.length, answers.filter(({ ok }) => ok).length);
  t.strictSame(await here.database.peek('select open, reason from platform.admission'), [entries.at(-1)]);
});

t.test('once a closing is answered no later commit holds a new run', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ wait: fc.nat(6), hold: fc.nat(12) }), { minLength: 4, maxLength: 6 }),
      fc.nat(10),
      async (starters, closeAfter) => {
        const startUntilRefused = async ({ wait, hold }: { wait: number; hold: number }) => {
          await pace(wait);
          for (let refused = false; !refused; ) {
            refused = await here
              .start(acme, () => pace(hold))
              .then(
                () => false,
                (error: { code?: string }) => error.code === 'admission_closed' || Promise.reject(error),
              );
          }
        };
        const close = async () => {
          await pace(closeAfter);
          await set(here, false);
          return runs(here);
        };
        const [whenClosed] = await Promise.all([close(), ...starters.map(startUntilRefused)]);
        const afterwards = await runs(here);
        await here.database.peek('delete from kernel.run');
        await set(here, true);
        return whenClosed === afterwards;
      },
    ),
    { numRuns: cases(30) },
  );
});
