import type { Tenant } from '@weir/kernel';
import t from 'tap';
import { readEvents } from '../src/contract.ts';
import { MAX_STREAMS_PER_CALLER } from '../src/event/hub.ts';
import { purgeOld } from '../src/event/retention.ts';
import { publisher } from '../src/event/store.ts';
import { type EventReader, readStream } from './event-reader.ts';
import { bodyOf, type World, world } from './kit.ts';

const publish = ({ kernel }: World, tenant: Tenant, topic: string, id: string) =>
  kernel.db(tenant).transaction((tx) => publisher.publish(tx, { topic, id, version: '1' }));

const dataOf = async (reader: EventReader) => JSON.parse((await reader.next())?.data ?? 'null');

/**
 * Asks for the hints behind a place until there are as many: on a shared server the transactions of others, while they
 * are open, hold back what was committed after them.
 */
async function hintsBehind(here: World, place: string, count: number) {
  for (;;) {
    const found = bodyOf(await here.as('acme', 'viewer').call(readEvents, { query: { last_event_id: place } }));
    if (found.items.length >= count) return found;
  }
}

/** Resolves when everything that was published is settled, so that a new reader begins behind it. */
async function seen(here: World, ids: readonly string[]): Promise<void> {
  await hintsBehind(here, '0-0', ids.length);
}

/** The places of all hints, in their order. */
async function places({ database }: World): Promise<string[]> {
  const rows = await database.peek('select xid::text, event_id::text from platform.event order by xid, event_id');
  return rows.map(({ xid, event_id }) => `${xid}-${event_id}`);
}

async function streams(here: World) {
  const url = await here.listen();
  return async (alias: string, query = '', headers: Record<string, string> = {}) =>
    readStream(`${url}/api/v1/events${query}`, { ...(await here.as(alias, 'viewer').headers()), ...headers });
}

t.test('a run is told of when it begins to wait, to run, and when it has ended, to its own tenant alone', async (t) => {
  const here = await world(t);
  const [acme, other] = [await here.tenant('acme'), await here.tenant('other')];
  const open = await streams(here);
  const reader = await open('acme', '?topics=run');
  t.equal(reader.status, 200);
  t.match(reader.headers.get('content-type'), /^text\/event-stream/);
  await here.start(other);
  await publish(here, acme, 'source', 'not asked for');
  const id = await here.start(acme);
  await here.kernel.runs.begin(acme, id);
  await here.kernel.runs.finish(acme, id, {
    status: 'failed',
    failure: { code: 'x', origin: 'config', retryable: false, detail: 'd' },
  });
  for (const version of ['pending', 'running', 'failed'])
    t.strictSame(await dataOf(reader), { topic: 'run', id, version });
  await t.rejects(
    here.start(acme, async () => {
      throw new Error('rolled back');
    }),
  );
  const next = await here.start(acme);
  t.match(await dataOf(reader), { id: next }, 'what was rolled back is not told');
  await reader.leave();
});

t.test(
  'a reader that was cut off goes on behind the last event it saw, without a gap and without a repeat',
  async (t) => {
    const here = await world(t);
    const acme = await here.tenant('acme');
    const open = await streams(here);
    const told: string[] = [];
    let last: string | undefined;
    for (let round = 0; round < 5; round += 1) {
      const reader = await open('acme', '', last === undefined ? {} : { 'last-event-id': last });
      if (last === undefined) await publish(here, acme, 'thing', 'first');
      const first = await reader.next();
      told.push(JSON.parse(first?.data ?? '{}').id);
      last = first?.id;
      await reader.leave();
      for (let n = 0; n < 2; n += 1) await publish(here, acme, 'thing', `${round}.${n}`);
    }
    const { items, reset } = await hintsBehind(here, last ?? '', 6);
    t.notOk(reset);
    told.push(...items.map(({ id }) => id));
    t.strictSame(told, ['first', '0.0', '0.1', '1.0', '1.1', '2.0', '2.1', '3.0', '3.1', '4.0', '4.1']);
  },
);

t.test('a place before any event is kept too: the opening of a stream names it', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  const open = await streams(here);
  await publish(here, acme, 'thing', 'before');
  await seen(here, ['before']);
  const reader = await open('acme');
  const place = await reader.opened();
  await reader.leave();
  await publish(here, acme, 'thing', 'after');
  const again = await open('acme', `?last_event_id=${place}`);
  t.match(await dataOf(again), { id: 'after' });
  await again.leave();
});

t.test('a place that is malformed, from the future, or too old gets one reset and then what is new', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  const open = await streams(here);
  for (const id of ['old', 'middle', 'young']) await publish(here, acme, 'thing', id);
  await seen(here, ['old', 'middle', 'young']);
  const [old = '', middle = ''] = await places(here);
  await here.database.peek(
    `update platform.event set created_at = now() - interval '61 minutes' where subject_id <> 'young'`,
  );
  for (const place of ['nonsense', '999999999999999999-1', '1-0', old]) {
    const reader = await open('acme', '', { 'last-event-id': place });
    t.match(await reader.next(), { event: 'reset', data: '{}', id: /^\d+-\d+$/ }, place);
    await publish(here, acme, 'thing', `after ${place}`);
    t.match(await dataOf(reader), { id: `after ${place}` });
    await reader.leave();
    const asked = await here.as('acme').call(readEvents, { query: { last_event_id: place } });
    t.match(asked, { ok: true, body: { reset: true } });
    await hintsBehind(here, middle, 2);
  }
  const kept = await hintsBehind(here, middle, 5);
  t.match(kept, { reset: false, items: [{ id: 'young' }] }, 'nothing behind it is too old');
});

t.test('hints go when they are too old, and whoever would have needed them is told', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  const ids = ['1', '2', '3', '4'];
  for (const id of ids) await publish(here, acme, 'thing', id);
  await seen(here, ids);
  const all = await places(here);
  const left = async () =>
    (await here.database.peek('select subject_id as id from platform.event order by event_id')).map(({ id }) => id);
  const at = (minutes: number) => purgeOld(here.kernel, acme, Date.now() + minutes * 60_000);
  await at(65);
  t.strictSame(await left(), ids, 'those that a reader may still ask for stay');
  await here.database.peek(`update platform.event set created_at = now() - interval '2 hours' where subject_id <= '3'`);
  await at(0);
  t.strictSame(await left(), ['3', '4'], 'the last of the old ones tells that those before it are gone');
  const answers = [];
  for (const place of all) {
    const answer = await here.as('acme').call(readEvents, { query: { last_event_id: place } });
    if (answer.ok) answers.push([answer.body.reset, ...answer.body.items.map(({ id }) => id)]);
  }
  t.strictSame(answers, [[true], [true], [false, '4'], [false]]);
});

t.test('a caller has a bounded number of streams, and one that is left makes place for another', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  await here.tenant('other');
  const open = await streams(here);
  const readers = [];
  for (let n = 0; n < MAX_STREAMS_PER_CALLER; n += 1) readers.push(await open('acme'));
  const refused = await open('acme');
  t.equal(refused.status, 429);
  t.ok(refused.headers.get('retry-after'));
  t.equal((await open('other')).status, 200);
  const admin = { ...(await here.as('acme', 'admin').headers()) };
  t.equal((await open('acme', '', admin)).status, 200, 'somebody else of the tenant');
  await readers[0]?.leave();
  let again = await open('acme');
  // The server hears of it a moment later.
  while (again.status === 429) again = await open('acme');
  t.equal(again.status, 200);
});

t.test('streams end at once when the server stops', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  const open = await streams(here);
  const reader = await open('acme');
  await publish(here, acme, 'thing', 'one');
  t.match(await dataOf(reader), { id: 'one' });
  const closing = here.app.close();
  t.equal(await reader.next(), undefined, 'the end is a proper one');
  await closing;
});

t.test('events are for roles of the tenant, and topics are words', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  t.match(await here.as('acme', 'stranger').call(readEvents), { status: 403 });
  t.equal((await here.app.inject('/api/v1/events')).statusCode, 401);
  for (const topics of ['', ',', 'Run', 'run,', "run'--", 'a'.repeat(41), Array(21).fill('a').join(',')])
    t.match(await here.as('acme').call(readEvents, { query: { topics } }), { status: 400 }, topics);
  t.equal(
    (
      await here.app.inject({
        url: '/api/v1/events',
        headers: { ...(await here.as('acme').headers()), accept: 'text/html' },
      })
    ).statusCode,
    406,
  );
});
