import type { Readable } from 'node:stream';
import { kernelProblems } from '@weir/kernel/contract';
import fc from 'fast-check';
import { pino } from 'pino';
import t from 'tap';
import { PATIENT_MS, until } from '../../../test/until.ts';
import { eventHub, MAX_STREAMS_PER_CALLER, MAX_STREAMS_PER_TENANT } from '../src/event/hub.ts';
import { openListener } from '../src/event/listener.ts';
import { eventService } from '../src/event/service.ts';
import { publisher } from '../src/event/store.ts';
import { blockOf } from './event-reader.ts';
import { world } from './kit.ts';

const log = pino({ level: 'silent' });
const at = (xid: number, eventId = 0) => ({ xid: BigInt(xid), eventId: BigInt(eventId) });
const hint = (xid: number, eventId: number, topic = 'thing') => ({
  at: at(xid, eventId),
  topic,
  id: `${eventId}`,
  version: '1',
});
const textOf = (stream: { read(): Buffer | null }) => String(stream.read() ?? '');
/** A reader whose credential has no end. */
const lasting = { expiresAt: undefined, recheck: async () => undefined };
/** Reads a stream on, and says whether a text has come. */
const reading = (stream: Parameters<typeof textOf>[0]) => {
  let text = '';
  return (wanted: string) => {
    text += textOf(stream);
    return text.includes(wanted);
  };
};

t.test('a quiet stream is kept alive, and its reader is moved on past what it did not ask for', async (t) => {
  let time = 0;
  const listener = openListener({ at: at(5), topics: ['run'], missed: false, ...lasting, now: () => time });
  t.equal(textOf(listener.stream), 'retry: 2000\n:\nid: 5-0\n\n');
  listener.feed([hint(6, 1), hint(6, 2)], at(9));
  time += 14_999;
  listener.tend();
  t.equal(textOf(listener.stream), '');
  time += 1;
  listener.tend();
  t.equal(textOf(listener.stream), ':\nid: 9-0\n\n');
  listener.feed([hint(8, 3, 'run'), hint(9, 4, 'run')], undefined);
  t.strictSame(blockOf(textOf(listener.stream).trim()), { id: '9-4', data: '{"topic":"run","id":"4","version":"1"}' });
});

t.test('a stream ends after a while, so that its reader must show a valid token again', async (t) => {
  let time = 0;
  const listener = openListener({ at: at(1), topics: undefined, missed: true, ...lasting, now: () => time });
  t.match(textOf(listener.stream), /event: reset\nid: 1-0\ndata: \{\}\n\n$/);
  time += 5 * 60_000;
  listener.tend();
  listener.tend();
  listener.feed([hint(2, 1)], undefined);
  t.equal(textOf(listener.stream), '');
  await new Promise((resolve) => listener.stream.once('end', resolve));
});

t.test('a token ends → its stream ends and gets no later hint', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  const { db } = here.kernel;
  let time = Date.now();
  const now = () => time;
  const hub = eventHub({ db, log, now, pollMs: 1 });
  t.teardown(() => hub.close());
  const person = { kind: 'user', subject: 'ada', client: 'web', organizations: ['acme'], realmRoles: [] } as const;
  const principal = { ...person, expiresAt: new Date(time + 5_000) };
  const { signal } = new AbortController();
  const request = { query: {}, lastEventId: undefined, mediaType: 'text/event-stream', signal };
  const answer = await eventService({ db, hub, now }).read(acme, { ...request, ...lasting, principal });
  const stream = (answer as { body: Readable }).body;
  const publish = (id: string) =>
    db(acme).transaction((tx) => publisher.publish(tx, { topic: 'thing', id, version: '1' }));
  await publish('before');
  const has = reading(stream);
  await until('the hint comes while the token is valid', () => has('"before"'), 'often');
  time += 5_000;
  await publish('after');
  await until('the stream has ended', () => has('"after"') || stream.readableEnded, 'often');
  t.notOk(has('"after"'));
  t.equal(hub.count(), 0);
});

t.test('a reader that may no longer read → its stream ends within a minute', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  let [time, checks] = [0, 0];
  let fault: Error | undefined;
  const hub = eventHub({ db: here.kernel.db, log, now: () => time, pollMs: 1 });
  t.teardown(() => hub.close());
  const start = { at: at(0), missed: false, topics: undefined, signal: new AbortController().signal };
  const recheck = async () => {
    checks += 1;
    if (fault !== undefined) throw fault;
  };
  const stream = hub.open(acme, { ...lasting, ...start, caller: 'ada', recheck });
  const other = hub.open(acme, { ...lasting, ...start, caller: 'ada' });
  const nextCheck = async () => {
    const before = checks;
    time += 60_000;
    stream.read();
    other.read();
    await until('the reader is checked', () => checks > before, 'often');
  };
  await nextCheck();
  t.equal(checks, 1, 'once a minute');
  fault = kernelProblems.dependencyUnavailable();
  await nextCheck();
  await nextCheck();
  t.equal(hub.count(), 2, 'a provider that is away ends no stream');
  fault = kernelProblems.forbiddenRole();
  const ended = new Promise((resolve) => stream.once('end', resolve));
  await nextCheck();
  stream.resume();
  await ended;
  t.notOk(other.readableEnded, 'another reader keeps its stream');
});

t.test('whatever hints hold, an event is one block of three lines', async () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (id, version) => {
      const listener = openListener({ at: at(0), topics: undefined, missed: false, ...lasting, now: () => 0 });
      textOf(listener.stream);
      listener.feed([{ at: at(1, 1), topic: 'thing', id, version }], undefined);
      const [block = '', end, ...more] = textOf(listener.stream).split('\n\n');
      const { data = '' } = blockOf(block);
      return (
        end === '' && more.length === 0 && String(Object.values(JSON.parse(data))) === String(['thing', id, version])
      );
    }),
    { numRuns: 1_000 },
  );
});

t.test(
  'a reader that does not read holds a bounded amount, is cut off in the end, and can catch up before',
  async (t) => {
    const here = await world(t);
    const acme = await here.tenant('acme');
    const { db } = here.kernel;
    let time = 0;
    let looks = 0;
    const now = () => {
      looks += 1;
      return time;
    };
    const hub = eventHub({ db, log, now, pollMs: 1 });
    t.teardown(() => hub.close());
    const start = {
      ...lasting,
      caller: 'ada',
      at: at(0),
      missed: false,
      topics: undefined,
      signal: new AbortController().signal,
    };
    const count = 3_000;
    await db(acme).transaction(async (tx) => {
      for (let n = 0; n < count; n += 1)
        await publisher.publish(tx, { topic: 'thing', id: `number ${n}`, version: 'x'.repeat(60) });
    });
    const [slow, dead] = [hub.open(acme, start), hub.open(acme, start)];
    let largest = 0;
    const full = () => slow.readableLength >= 64 * 1024 && dead.readableLength >= 64 * 1024;
    await until('both readers have more than they read', full, 'often');
    const before = looks;
    const lookedAgain = () => {
      largest = Math.max(largest, slow.readableLength, dead.readableLength);
      return looks > before + 200;
    };
    await until('the hub looks at its readers again and again', lookedAgain, 'often');
    t.ok(largest < 128 * 1024, `${largest} bytes wait`);
    const ids: string[] = [];
    let rest = '';
    for await (const chunk of slow) {
      const parts = (rest + String(chunk)).split('\n\n');
      rest = parts.pop() ?? '';
      for (const { data } of parts.map(blockOf)) if (data !== undefined) ids.push(JSON.parse(data).id);
      if (ids.length === count) break;
    }
    t.strictSame(
      ids,
      Array.from({ length: count }, (_, n) => `number ${n}`),
      'the slow one got them all, in order',
    );
    t.notOk(dead.destroyed);
    time += 30_000;
    await new Promise((resolve) => dead.once('close', resolve));
    t.equal(hub.count(), 0);
  },
);

t.test('a tenant is read while somebody listens, once for all who do, and not at all when nobody does', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  const other = await here.tenant('other');
  let reads = { acme: 0, other: 0 };
  const db: typeof here.kernel.db = (tenant) => {
    reads[tenant.alias as 'acme'] += 1;
    return here.kernel.db(tenant);
  };
  const start = { ...lasting, caller: 'ada', at: at(0), missed: false, topics: undefined };
  const leave = new AbortController();
  const readersOf = (hub: ReturnType<typeof eventHub>) =>
    Array.from({ length: 20 }, (_, n) => hub.open(acme, { ...start, caller: `reader ${n}`, signal: leave.signal }));

  await here.kernel.db(acme).transaction((tx) => publisher.publish(tx, { topic: 'thing', id: 'one', version: '1' }));
  // Any transaction that is open on the server, another file's too, holds a hint back; the next hub reads only once.
  const probe = eventHub({ db: here.kernel.db, log, pollMs: 1 });
  const isSettled = reading(probe.open(acme, { ...start, signal: leave.signal }));
  await until('the hint is settled', () => isSettled('"one"'));
  await probe.close();
  const idle = eventHub({ db, log, pollMs: PATIENT_MS });
  const read = readersOf(idle).map(reading);
  t.equal(idle.count(), 20);
  await until('every reader has the hint', () => read.every((has) => has('"one"')));
  t.equal(reads.acme, 1, 'one read for 20 readers');
  await idle.close();

  reads = { acme: 0, other: 0 };
  const hub = eventHub({ db, log, pollMs: 1 });
  hub.open(other, { ...start, signal: new AbortController().signal });
  const otherIsRead = async () => {
    const before = reads.other;
    await until('another tenant is read again and again', () => reads.other > before + 5, 'often');
  };
  await otherIsRead();
  t.equal(reads.acme, 0, 'nobody has listened');
  const readers = readersOf(hub);
  await until('the tenant is read', () => reads.acme > 5, 'often');
  leave.abort();
  for (const reader of readers) t.ok(reader.destroyed);
  await until('its readers have left', () => hub.count() === 1, 'often');
  const then = reads.acme;
  await otherIsRead();
  t.equal(reads.acme, then, 'nobody listens any more');
  await hub.close();
  t.throws(() => hub.open(acme, { ...start, signal: leave.signal }), { code: 'shutting_down' });
});

t.test('a database that fails costs no stream and no hint', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  let down = true;
  let failures = 0;
  const db: typeof here.kernel.db = (tenant) => {
    if (down) {
      failures += 1;
      throw new Error('the database is away');
    }
    return here.kernel.db(tenant);
  };
  const hub = eventHub({ db, log, pollMs: 1 });
  t.teardown(() => hub.close());
  const { signal } = new AbortController();
  const stream = hub.open(acme, { ...lasting, caller: 'ada', at: at(0), missed: false, topics: undefined, signal });
  textOf(stream);
  await here.kernel.db(acme).transaction((tx) => publisher.publish(tx, { topic: 'thing', id: 'one', version: '1' }));
  await until('reads have failed', () => failures > 3, 'often');
  t.equal(textOf(stream), '');
  down = false;
  const has = reading(stream);
  t.ok(await until('the hint comes when the database does', () => has('"one"'), 'often'));
});

t.test('streams are bounded by caller, so that one leaves room for others, and by tenant', async (t) => {
  const here = await world(t);
  const [acme, other] = [await here.tenant('acme'), await here.tenant('other')];
  const hub = eventHub({ db: here.kernel.db, log, pollMs: 1 });
  t.teardown(() => hub.close());
  const start = { ...lasting, at: at(0), missed: false, topics: undefined, signal: new AbortController().signal };
  const open = (caller: string, tenant = acme) => hub.open(tenant, { ...start, caller });
  const full = (of: string) => ({ code: 'too_many_streams', message: new RegExp(`are open for ${of}`) });
  const fill = (caller: string) => Array.from({ length: MAX_STREAMS_PER_CALLER }, () => open(caller));
  const [first] = fill('ada');
  t.throws(() => open('ada'), full('you'));
  open('ada', other);
  for (let n = 1; n < MAX_STREAMS_PER_TENANT / MAX_STREAMS_PER_CALLER; n += 1) fill(`reader ${n}`);
  t.throws(() => open('late'), full('your tenant'));
  first?.destroy();
  await until('one has left', () => hub.count() === MAX_STREAMS_PER_TENANT, 'often');
  open('late');
});
