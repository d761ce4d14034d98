import { contribute } from '@weir/kernel';
import { problem } from '@weir/kernel/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { refused, SQL, setUp, soundSelects } from './kit.ts';

const inUse = problem({
  code: 'transform_in_use',
  status: 409,
  title: 'In use',
  detail: 'It is in use.',
  hint: 'Wait.',
});

t.test('each change of a transform → contributed once, in its transaction; a throw refuses it', async (t) => {
  const changes: string[] = [];
  const refusing = new Set<string>();
  const listener: endpoints.TransformChanged = async (tx, { transform_id, version, change }) => {
    const { rows } = await tx.sql('select version from transforms.transform where transform_id = $1', [transform_id]);
    changes.push(`${change} ${version}`);
    t.equal(rows[0]?.version, version, `${change}: the row is as it will be, or as it was`);
    if (refusing.has(change)) throw inUse();
  };
  const { call, create, hints } = await setUp(t, {}, soundSelects, [contribute(endpoints.TransformChanges, listener)]);
  const { transform_id } = await create('orders');
  const params = { transform_id };
  const change = (body: object) => call(endpoints.changeTransform, { params, body });
  const heard = async (work: () => Promise<{ ok: boolean }>) => {
    changes.length = 0;
    t.ok((await work()).ok);
    return changes.splice(0);
  };
  t.strictSame(changes, ['made 1']);
  t.strictSame(await heard(() => call(endpoints.hydrateTransform, { params })), ['hydrated 2']);
  t.strictSame(await heard(() => change({ sql: `${SQL} having true` })), ['changed 3']);
  t.strictSame(await heard(() => call(endpoints.discardTransformDraft, { params })), ['changed 4']);
  t.strictSame(await heard(() => change({ archived: true, name: 'old' })), ['archived 5']);
  t.strictSame(await heard(() => change({ archived: true })), ['changed 6'], 'it was archived before');
  t.strictSame(await heard(() => change({ archived: false })), ['changed 7']);
  const restore = { params: { ...params, version: 1 } };
  t.strictSame(await heard(() => call(endpoints.restoreTransformVersion, restore)), ['hydrated 8']);

  const published = hints.length;
  for (const one of ['changed', 'archived', 'hydrated', 'deleted', 'made']) refusing.add(one);
  t.match(await change({ description: 'x' }), refused(409, 'transform_in_use'));
  t.match(await change({ archived: true }), refused(409, 'transform_in_use'));
  t.match(await call(endpoints.hydrateTransform, { params }), refused(409, 'transform_in_use'));
  t.match(await call(endpoints.deleteTransform, { params }), refused(409, 'transform_in_use'));
  await t.rejects(create('another'), { message: 'transform_in_use' });
  t.match(await call(endpoints.getTransform, { params }), { body: { etag: '8', archived: false, description: null } });
  t.equal(hints.length, published, 'nothing is published of what was refused');
  refusing.clear();
  t.strictSame(await heard(() => call(endpoints.deleteTransform, { params })), ['deleted 8']);
});
