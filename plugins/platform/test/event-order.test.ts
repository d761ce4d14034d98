import type { Tenant } from '@weir/kernel';
import fc from 'fast-check';
import { Client } from 'pg';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { until } from '../../../test/until.ts';
import { eventHub } from '../src/event/hub.ts';
import { isBehind, parsePosition, positionText } from '../src/event/position.ts';
import { eventService } from '../src/event/service.ts';
import { publisher } from '../src/event/store.ts';
import { type World, world } from './kit.ts';

const WRITERS = 4;
/** Fewer cases meet too few interleavings. */
const RUNS = Math.max(30, cases(100));

t.test('a place is read back as it was written, and nothing else is a place', async (t) => {
  const place = fc.record({ xid: fc.bigInt(0n, 2n ** 64n - 1n), eventId: fc.bigInt(0n, 2n ** 63n - 1n) });
  fc.assert(
    fc.property(place, (at) => {
      const read = parsePosition(positionText(at));
      return read !== undefined && read.xid === at.xid && read.eventId === at.eventId;
    }),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(place, place, (a, b) => {
      const same = a.xid === b.xid && a.eventId === b.eventId;
      return [isBehind(a, b), isBehind(b, a), same].filter(Boolean).length === 1;
    }),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(fc.string(), (text) => parsePosition(text) === undefined || /^\d+-\d+$/.test(text)),
    { numRuns: 1_000 },
  );
  for (const text of [
    '',
    '-',
    '1',
    '1-',
    '-1',
    '01-1',
    '1-1 ',
    ' 1-1',
    '1-1-1',
    `${2n ** 64n}-1`,
    `1-${2n ** 63n}`,
    '1e3-1',
    '+1-1',
    '１-1',
  ])
    t.equal(parsePosition(text), undefined, text);
});

/** Transactions of their own, as other processes have them, that publish by the plugin's own statement. */
async function writersOf({ database }: World, tenant: Tenant, teardown: (work: () => unknown) => void) {
  const writers = Array.from({ length: WRITERS }, () => new Client(database.app));
  for (const client of writers) {
    await client.connect();
    teardown(() => client.end());
    await client.query("select set_config('app.tenant', $1, false)", [tenant.tenantId]);
  }
  return writers.map((client) => ({
    begin: () => client.query('begin'),
    end: (how: 'commit' | 'rollback') => client.query(how),
    publish: (id: string) =>
      publisher.publish(
        { tenant, sql: (text, params) => client.query(text, params as string[]) },
        { topic: 'thing', id, version: '1' },
      ),
  }));
}

/** One writer's transaction: how many hints it publishes, and how it ends. */
const script = fc.record({
  hints: fc.integer({ min: 1, max: 3 }),
  end: fc.constantFrom('commit', 'commit', 'rollback'),
});

t.test(
  'a reader who comes back to its place misses no committed hint, whoever commits last, and sees none twice',
  async (t) => {
    const here = await world(t);
    const acme = await here.tenant('acme');
    const writers = await writersOf(here, acme, (work) => t.teardown(work));
    const { db } = here.kernel;
    const service = eventService({ db, hub: eventHub({ db, log: here.kernel.log }) });
    const poll = async (lastEventId: string | undefined) => {
      const { signal } = new AbortController();
      const asked = { principal: { kind: 'anonymous' } as const, recheck: async () => undefined, signal };
      const request = { ...asked, query: {}, lastEventId, mediaType: 'application/json' };
      const answer = await service.read(acme, request);
      if ('raw' in answer) throw new Error('a poll is no stream');
      return answer;
    };
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(...Array.from({ length: WRITERS }, () => script)),
        fc.array(fc.nat({ max: WRITERS }), { minLength: 20, maxLength: 40 }),
        async (scripts, turns) => {
          run += 1;
          const committed: string[] = [];
          const seen: string[] = [];
          let place = (await poll(undefined)).last_event_id;
          const read = async () => {
            const { items, last_event_id, reset } = await poll(place);
            seen.push(...items.map(({ id }) => id));
            place = last_event_id;
            return !reset;
          };
          const steps = scripts.map(({ hints, end }, n) => {
            const ids = Array.from({ length: hints }, (_, h) => `${run}/${n}/${h}`);
            const writer = writers[n]!;
            const last = async () => {
              await writer.end(end as 'commit');
              if (end === 'commit') committed.push(...ids);
            };
            return [writer.begin, ...ids.map((id) => () => writer.publish(id)), last];
          });
          let whole = true;
          // A turn is one step of a writer, or a read; what is left at the end is done writer by writer.
          for (const turn of turns) {
            if (turn === WRITERS) whole = (await read()) && whole;
            else await steps[turn]?.shift()?.();
          }
          for (const left of steps) for (const step of left) await step();
          const last = `${run}/last`;
          await writers[0]!.begin();
          await writers[0]!.publish(last);
          await writers[0]!.end('commit');
          committed.push(last);
          const readOn = async () => {
            whole = (await read()) && whole;
            return seen.includes(last);
          };
          await until('the last hint is read', readOn, 'often');
          return (
            whole && new Set(seen).size === seen.length && String(seen.toSorted()) === String(committed.toSorted())
          );
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
);
