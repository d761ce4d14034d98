import { item } from './kit.ts';
import { codeOf, LATER, numbers, owner, type StoreCase } from './store-tools.ts';

export const WRITES: readonly StoreCase[] = [
  [
    'a store says what it can',
    async (t, { store }) => t.match(store.capabilities(), { adapter: String, maxChunk: Number }),
  ],
  ['a store that is there is reachable', async (t, { store }) => t.equal(await store.reachable(), true)],
  [
    'an entity is read as it was written',
    async (t, { write, get, type }) => {
      const properties = { country: 'DE', size: 3, tags: ['a', 'ü'], more: { deep: [null, true] } };
      await write([item('1', properties)], { type: { code: type, version: 4, indexed: [] } });
      t.match(await get('1'), { key: '1', properties: { vin: '1', ...properties }, typeVersion: 4, updatedAt: Date });
    },
  ],
  ['an absent entity is undefined', async (t, { get }) => t.equal(await get('absent'), undefined)],
  [
    'long integers and decimals stay text',
    async (t, { write, get }) => {
      await write([item('1', { long: '9223372036854775807', price: '0.10' })]);
      t.match((await get('1'))?.properties, { long: '9223372036854775807', price: '0.10' });
    },
  ],
  [
    'keys of every script are keys',
    async (t, { write, get, keys }) => {
      const all = ['Ä', 'a b', 'a/b?c#d', '["x",1]', '日本', "'; drop table entity; --", '😀'];
      await write(all.map((key) => item(key)));
      for (const key of all) t.match(await get(key), { key }, key);
      t.strictSame((await keys()).length, all.length);
    },
  ],
  ['a chunk without items is a chunk', async (t, { write }) => t.strictSame(numbers(await write([])), [0, 0, 0])],
  [
    'a row of the same hash is not written again',
    async (t, { write, get, freshRun }) => {
      const runId = freshRun();
      await write([item('1')], { runId });
      const before = await get('1');
      t.strictSame(numbers(await write([item('1'), item('2')])), [2, 2, 1]);
      t.strictSame(await get('1'), before);
    },
  ],
  [
    'a row of another hash takes the place of the one before',
    async (t, { write, get }) => {
      await write([item('1', { size: 1, gone: true })]);
      t.strictSame(numbers(await write([item('1', { size: 2 })])), [1, 1, 1]);
      t.strictSame((await get('1'))?.properties, { vin: '1', size: 2 });
    },
  ],
  [
    'a row of another version of the type is written again',
    async (t, { write, get, type }) => {
      await write([item('1')]);
      t.strictSame(numbers(await write([item('1')], { type: { code: type, version: 2, indexed: [] } })), [1, 1, 1]);
      t.match(await get('1'), { typeVersion: 2 });
    },
  ],
  [
    'a chunk says which run wrote it',
    async (t, { write, get }) => {
      await write([item('1')], { runId: LATER });
      t.match(await get('1'), { runId: LATER });
    },
  ],
  [
    'what cannot be kept is an error of its item, and the others are written',
    async (t, { write, keys }) => {
      const bad = [
        ...[item(''), item('k'.repeat(257)), item('\0'), item('\ud800')],
        ...[item('nan', { size: Number.NaN }), item('half', { name: '\udfff' }), item('nul', { name: 'a\0b' })],
        ...[item('far', {}, [owner('')]), item('fun', { size: undefined })],
      ];
      const job = await write([...bad, item('good')]);
      t.strictSame(numbers(job), [bad.length + 1, 1, 1]);
      t.strictSame(
        job.errors.map(({ code }) => code),
        [
          ...['key_missing', 'key_too_long', 'not_storable', 'not_storable', 'not_storable', 'not_storable'],
          ...['not_storable', 'key_missing', 'not_storable'],
        ],
      );
      t.strictSame(await keys(), ['good']);
    },
  ],
  [
    'a key that comes twice in a chunk is an error, and the first is written',
    async (t, { write, get }) => {
      const job = await write([item('1', { size: 1 }), item('1', { size: 2 })]);
      t.match(job, { submitted: 2, completed: 1, errors: [{ code: 'repeated' }] });
      t.match((await get('1'))?.properties, { size: 1 });
    },
  ],
  [
    'errors are at most a hundred, without key or value',
    async (t, { write }) => {
      const job = await write(Array.from({ length: 150 }, (_, at) => item(`secret-${at}`, { name: '\0' })));
      t.equal(job.errors.length, 100);
      t.notMatch(JSON.stringify(job), /secret/);
    },
  ],
  [
    'a chunk that is too large is refused whole',
    async (t, { write, store, keys }) => {
      const { maxChunk } = store.capabilities();
      const items = Array.from({ length: maxChunk + 1 }, (_, at) => item(String(at)));
      t.equal(await codeOf(write(items)), 'chunk_too_large');
      t.strictSame(await keys(), []);
    },
  ],
];

export const CHUNKS: readonly StoreCase[] = [
  [
    'a chunk again answers as before, and changes nothing',
    async (t, { write, get, freshRun }) => {
      const runId = freshRun();
      const first = await write([item('1', { size: 1 })], { runId });
      const before = await get('1');
      t.strictSame(await write([item('1', { size: 1 })], { runId }), first);
      t.strictSame(await get('1'), before);
    },
  ],
  [
    'a chunk that comes late does not undo what a later run has done',
    async (t, { write, get, freshRun }) => {
      const runId = freshRun();
      await write([item('1', { size: 1 })], { runId });
      await write([item('1', { size: 2 })]);
      await write([item('1', { size: 1 })], { runId });
      t.match((await get('1'))?.properties, { size: 2 });
    },
  ],
  [
    'another chunk under the same number is refused',
    async (t, { write, get, freshRun }) => {
      const runId = freshRun();
      await write([item('1')], { runId });
      t.equal(await codeOf(write([item('2')], { runId })), 'chunk_changed');
      t.equal(await get('2'), undefined);
    },
  ],
  [
    'chunks of one run have numbers, apart for each operation',
    async (t, { write, remove, keys, freshRun }) => {
      const runId = freshRun();
      await write([item('1')], { runId });
      await write([item('2')], { runId, seq: 1 });
      await remove(['1'], { runId });
      t.strictSame(await keys(), ['2']);
    },
  ],
  [
    'the same chunk ten times at once is taken once',
    async (t, { write, freshRun }) => {
      const runId = freshRun();
      const jobs = await Promise.all(Array.from({ length: 10 }, () => write([item('1'), item('2')], { runId })));
      for (const job of jobs) t.strictSame(job, jobs[0]);
      t.strictSame(numbers(jobs[0] as never), [2, 2, 2]);
    },
  ],
  [
    'chunks over the same keys at once are all taken',
    async (t, { write, keys }) => {
      const all = Array.from({ length: 50 }, (_, at) => String(at));
      const rounds = [all, all.toReversed(), all, all.toReversed()];
      await Promise.all(rounds.map((order, round) => write(order.map((key) => item(key, { round })))));
      t.equal((await keys()).length, 50);
    },
  ],
  [
    'a job is found by its id',
    async (t, { store, own, write }) => {
      const job = await write([item('1'), item('')]);
      t.strictSame(await store.getBulkJob(own, job.jobId), job);
    },
  ],
  [
    'a job of an id that names nothing is undefined',
    async (t, { store, own }) => {
      for (const id of ['', 'x', `${LATER}:upsert:999`, `${LATER}:other:0`, 'x:upsert:0'])
        t.equal(await store.getBulkJob(own, id), undefined, id);
    },
  ],
];
