import type { Test } from 'tap';
import { chunk, item } from './kit.ts';
import { deletion, numbers, owner, type StoreCase, type StoreUnderTest, toolsOf } from './store-tools.ts';
import { CHUNKS, WRITES } from './store-writes.ts';

const DELETIONS: readonly StoreCase[] = [
  [
    'a deleted entity is gone',
    async (t, { write, remove, get }) => {
      await write([item('1'), item('2')]);
      t.strictSame(numbers(await remove(['1', 'absent'])), [2, 2, 1]);
      t.equal(await get('1'), undefined);
      t.match(await get('2'), { key: '2' });
    },
  ],
  [
    'a deleted entity is found by no value',
    async (t, { write, remove, keys }) => {
      await write([item('1', { country: 'DE' })]);
      await remove(['1']);
      t.strictSame(await keys({ filter: { country: 'DE' } }), []);
    },
  ],
  [
    'the links of a deleted entity are gone, and those that led to it lead nowhere',
    async (t, { write, remove, links, type, store, own }) => {
      await write([item('1', {}, [owner('2', type)]), item('2', {}, [owner('1', type)])]);
      await remove(['1']);
      t.strictSame(await links('1'), []);
      t.strictSame(await links('2', 'in'), []);
      const from = { type, key: '2', relationship: 'owner', direction: 'out' as const };
      t.match(await store.listLinks(own, from, { limit: 9 }), [{ key: '1', exists: false, properties: undefined }]);
    },
  ],
  [
    'an entity that was deleted can be written again',
    async (t, { write, remove, get }) => {
      await write([item('1')]);
      await remove(['1']);
      t.strictSame(numbers(await write([item('1')])), [1, 1, 1]);
      t.match(await get('1'), { key: '1' });
    },
  ],
];

const READS: readonly StoreCase[] = [
  [
    'a list is in the order of the keys, from either end',
    async (t, { write, keys }) => {
      await write(['b', 'a', 'B', '10', '9'].map((key) => item(key)));
      t.strictSame(await keys(), ['10', '9', 'B', 'a', 'b']);
      t.strictSame(await keys({ descending: true }), ['b', 'a', 'B', '9', '10']);
    },
  ],
  [
    'a page begins behind a key',
    async (t, { write, keys }) => {
      await write(['a', 'b', 'c', 'd'].map((key) => item(key)));
      t.strictSame(await keys({ limit: 2, after: ['b'] }), ['c', 'd']);
      t.strictSame(await keys({ limit: 2, after: ['c'], descending: true }), ['b', 'a']);
      t.strictSame(await keys({ after: ['d'] }), []);
    },
  ],
  [
    'entities are found by an indexed value',
    async (t, { write, keys }) => {
      await write([
        item('1', { country: 'DE' }),
        item('2', { country: 'FR' }),
        item('3', { country: 'DE' }),
        item('4'),
      ]);
      t.strictSame(await keys({ filter: { country: 'DE' } }), ['1', '3']);
      t.strictSame(await keys({ filter: { country: 'de' } }), [], 'exactly');
      t.strictSame(await keys({ filter: { country: 'DE' }, after: ['1'] }), ['3']);
    },
  ],
  [
    'entities are found by each item of an indexed list',
    async (t, { write, keys }) => {
      await write([item('1', { tags: ['red', 'big', 'red'] }), item('2', { tags: [] }), item('3', { tags: ['big'] })]);
      t.strictSame(await keys({ filter: { tags: 'big' } }), ['1', '3']);
      t.strictSame(await keys({ filter: { tags: 'red' } }), ['1']);
    },
  ],
  [
    'several filters hold together',
    async (t, { write, keys }) => {
      await write([item('1', { country: 'DE', tags: ['red'] }), item('2', { country: 'DE', tags: ['big'] })]);
      t.strictSame(await keys({ filter: { country: 'DE', tags: 'red' } }), ['1']);
      t.strictSame(await keys({ filter: { country: 'FR', tags: 'red' } }), []);
    },
  ],
  [
    'long values and values of other types are found by their text',
    async (t, { write, keys }) => {
      const long = 'ü'.repeat(1_000);
      await write([item('1', { country: long }), item('2', { country: 7 }), item('3', { country: true })]);
      t.strictSame(await keys({ filter: { country: long } }), ['1']);
      t.strictSame(await keys({ filter: { country: '7' } }), ['2']);
      t.strictSame(await keys({ filter: { country: 'true' } }), ['3']);
    },
  ],
  [
    'a changed value is found, and the one before is not',
    async (t, { write, keys }) => {
      await write([item('1', { country: 'DE' })]);
      await write([item('1', { country: 'FR' })]);
      t.strictSame([await keys({ filter: { country: 'DE' } }), await keys({ filter: { country: 'FR' } })], [[], ['1']]);
    },
  ],
  [
    'keys are listed with the hashes of their rows',
    async (t, { write, store, own, type }) => {
      const items = ['b', 'a', 'c'].map((key) => item(key));
      await write(items);
      const listed = await store.listKeys(own, type, { limit: 2 });
      t.strictSame(
        listed,
        [items[1], items[0]].map((one) => ({ key: one?.key, rowHash: one?.rowHash })),
      );
      t.match(await store.listKeys(own, type, { limit: 2, after: ['b'] }), [{ key: 'c' }]);
    },
  ],
];

const LINKS: readonly StoreCase[] = [
  [
    'links lead out, and back from the other end',
    async (t, { write, links, type }) => {
      await write([item('1', {}, [owner('x'), owner('y')]), item('2', {}, [owner('x')])]);
      t.strictSame(await links('1'), ['Person x', 'Person y']);
      t.strictSame(
        (await links('x', 'in', 'Person')).filter((one) => one.startsWith(type)),
        [`${type} 1`, `${type} 2`],
      );
    },
  ],
  [
    'changed links take the place of those before',
    async (t, { write, links }) => {
      await write([item('1', {}, [owner('x'), owner('y')])]);
      await write([item('1', {}, [owner('z')])]);
      t.strictSame(await links('1'), ['Person z']);
    },
  ],
  [
    'a link to an entity that is there comes with its properties',
    async (t, { write, store, own, type }) => {
      await write([item('1', {}, [owner('2', type), owner('3', type)]), item('2', { size: 2 })]);
      const from = { type, key: '1', relationship: 'owner', direction: 'out' as const };
      t.match(await store.listLinks(own, from, { limit: 9 }), [
        { key: '2', exists: true, properties: { size: 2 } },
        { key: '3', exists: false },
      ]);
      t.match(await store.listLinks(own, from, { limit: 1, after: [type, '2'] }), [{ key: '3' }]);
    },
  ],
  [
    'links are counted by relationship and direction',
    async (t, { write, store, own, type }) => {
      await write([item('1', {}, [owner('2', type), owner('9')]), item('3', {}, [owner('1', type)])]);
      t.strictSame(await store.countLinks(own, { type, key: '1' }), [
        { relationship: 'owner', direction: 'out', type: 'Person', count: 1 },
        { relationship: 'owner', direction: 'out', type, count: 1 },
        { relationship: 'owner', direction: 'in', type, count: 1 },
      ]);
    },
  ],
];

const WALLS: readonly StoreCase[] = [
  [
    'an entity of another tenant is as one that is absent, in every read',
    async (t, { write, store, foreign, get, keys, type }) => {
      const job = await write([item('1', { country: 'DE' }, [owner('1', type)])]);
      t.equal(await get('1', foreign), undefined);
      t.strictSame(await keys({}, foreign), []);
      t.strictSame(await keys({ filter: { country: 'DE' } }, foreign), []);
      t.strictSame(await store.listKeys(foreign, type, { limit: 9 }), []);
      t.strictSame(await store.countLinks(foreign, { type, key: '1' }), []);
      for (const direction of ['out', 'in'] as const)
        t.strictSame(
          await store.listLinks(foreign, { type, key: '1', relationship: 'owner', direction }, { limit: 9 }),
          [],
        );
      t.equal(await store.getBulkJob(foreign, job.jobId), undefined);
    },
  ],
  [
    'two tenants have the same keys and the same chunks, and do not meet',
    async (t, { submit, get, foreign, freshRun }) => {
      const runId = freshRun();
      await submit(chunk([item('1', { size: 1 })], { runId }));
      t.strictSame(numbers(await submit(chunk([item('1', { size: 2 })], { runId }), foreign)), [1, 1, 1]);
      t.match([await get('1'), await get('1', foreign)], [{ properties: { size: 1 } }, { properties: { size: 2 } }]);
    },
  ],
  [
    'a deletion of another tenant deletes nothing here',
    async (t, { write, submit, get, foreign, freshRun }) => {
      await write([item('1')]);
      t.strictSame(numbers(await submit(deletion(['1'], { runId: freshRun() }), foreign)), [1, 1, 0]);
      t.match(await get('1'), { key: '1' });
    },
  ],
];

export const STORE_CASES = [...WRITES, ...CHUNKS, ...DELETIONS, ...READS, ...LINKS, ...WALLS];

/** Holds a store to the laws of the port, each for a type of its own. */
export function storeConformance(t: Test, under: StoreUnderTest): void {
  for (const [at, [law, hold]] of STORE_CASES.entries())
    t.test(law, (t) => hold(t, toolsOf(under, `Type_${String(at).padStart(4, '0')}`)));
}
