import { text } from 'node:stream/consumers';
import { endpoint, permission } from '@weir/kernel/contract';
import t from 'tap';
import { APPLY_MS, carryOut } from '../src/service/carry-out.ts';
import type { PlannedDocument } from '../src/service/plan.ts';
import { resultLines } from '../src/service/stream-results.ts';

const access = permission('x:write', 'admin', { capability: 'x:write' });
const create = endpoint({ id: 'x.create', method: 'POST', path: '/x', summary: 'x', access });
const change = endpoint({ id: 'x.change', method: 'PATCH', path: '/x/:x_id', summary: 'x', access });

const planned = (index: number): PlannedDocument => {
  const key = `X/${index}`;
  const view = { index, kind: 'X', name: String(index), action: 'create' as const, changes: [], calls: [] };
  const printed = {
    action: 'create' as const,
    kind: 'X',
    name: String(index),
    stored: null,
    wanted: null,
    onlySets: false,
  };
  const calls = [
    { endpoint: create, body: {}, id: 'x_id' },
    { endpoint: change, params: { x_id: { $ref: key } }, body: { a: 1 }, ifMatch: '7' },
  ];
  return { key, id: undefined, calls, view, printed };
};

t.test('ten minutes → no further document is begun, and one that is begun is ended', async (t) => {
  let at = 0;
  const asked: unknown[] = [];
  const call = async ({ id }: { id: string }, input: object) => {
    asked.push([id, input]);
    at += APPLY_MS / 3;
    return { status: 200, body: { x_id: `made_${asked.length}` } };
  };
  const { status, results } = await carryOut([planned(0), planned(1), planned(2)], { call, now: () => at });
  t.equal(status, 'stopped');
  t.match(results, [
    { outcome: 'applied', calls: 2, id: 'made_1' },
    { outcome: 'applied', calls: 2, id: 'made_3' },
    { outcome: 'not_reached', calls: 0, id: null },
  ]);
  t.strictSame(asked[1], ['x.change', { params: { x_id: 'made_1' }, body: { a: 1 }, ifMatch: '"7"' }]);
});

t.test('a reader of lines that goes → the work ends all the same', async (t) => {
  const { promise: isGone, resolve: gone } = Promise.withResolvers<void>();
  const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
  const lines = resultLines(
    async (ended) => {
      const result = { index: 0, kind: 'X', name: 'x', outcome: 'applied' as const, id: null, calls: 1 };
      ended(result);
      await isGone;
      ended(result);
      done();
      return { status: 'applied' };
    },
    () => ({}),
  );
  lines.on('close', gone);
  lines.destroy();
  await isDone;
  t.equal(JSON.stringify({ lines }), '{"lines":null}', 'and an idempotency key can remember it');
});

t.test('work that breaks off → says so in the last line', async (t) => {
  const work = async (): Promise<never> => {
    throw new Error('the disk is full');
  };
  t.equal(
    await text(resultLines(work, () => ({ status: 'stopped', code: 'internal' }))),
    '{"status":"stopped","code":"internal"}\n',
  );
});
