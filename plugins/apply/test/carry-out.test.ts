import { text } from 'node:stream/consumers';
import { endpoint, permission } from '@weir/kernel/contract';
import t from 'tap';
import { refTo } from '../src/contract.ts';
import { inApplyOrder } from '../src/model/apply-order.ts';
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
    {
      endpoint: change,
      params: { x_id: refTo('X', String(index)) },
      body: { a: 1, deep: [{ of: refTo('X', String(index), 'more'), $ref: '#' }] },
      ifMatch: '7',
    },
  ];
  return { key, id: undefined, calls, view, printed, makes: [], needs: [] };
};

t.test('ten minutes → no further document is begun, and one that is begun is ended', async (t) => {
  let at = 0;
  const asked: unknown[] = [];
  const call = async ({ id }: { id: string }, input: object) => {
    asked.push([id, input]);
    at += APPLY_MS.lines / 3;
    return { status: 200, body: { x_id: `made_${asked.length}`, more: 'of the first' } };
  };
  const { status, results } = await carryOut([planned(0), planned(1), planned(2)], {
    call,
    now: () => at,
    within: APPLY_MS.lines,
  });
  t.equal(status, 'stopped');
  t.match(results, [
    { outcome: 'applied', calls: 2, id: 'made_1' },
    { outcome: 'applied', calls: 2, id: 'made_3' },
    { outcome: 'not_reached', calls: 0, id: null },
  ]);
  t.strictSame(asked[1], [
    'x.change',
    { params: { x_id: 'made_1' }, body: { a: 1, deep: [{ of: 'of the first', $ref: '#' }] }, ifMatch: '"7"' },
  ]);
});

t.test('a call that is refused in the middle of a document → what was done of it stays and is said', async (t) => {
  const call = async ({ id }: { id: string }) =>
    id === 'x.create'
      ? { status: 201, body: { x_id: 'made', more: 'm' } }
      : { status: 412, body: { code: 'precondition_failed', detail: 'It was changed.' } };
  const { status, results } = await carryOut([planned(0), planned(1)], { call, now: () => 0, within: 1 });
  t.equal(status, 'stopped');
  const error = { code: 'precondition_failed', call: { method: 'PATCH', path: '/api/v1/x/made' } };
  t.match(results, [
    { outcome: 'failed', calls: 1, id: 'made', error },
    { outcome: 'not_reached', calls: 0 },
  ]);
});

t.test('documents that need others → after them, else as sent; a circle stays as sent', async (t) => {
  const linked = (name: string, needs: string[] = [], makes = [name]) => ({ name, makes, needs });
  const names = (of: { name: string }[]) => inApplyOrder(of as ReturnType<typeof linked>[]).map(({ name }) => name);
  t.strictSame(names([linked('b'), linked('a'), linked('c')]), ['b', 'a', 'c']);
  t.strictSame(
    names([linked('orders', ['zeta', 'unknown']), linked('x'), linked('zeta', ['alpha']), linked('alpha')]),
    ['alpha', 'zeta', 'orders', 'x'],
  );
  t.strictSame(names([linked('a', ['b']), linked('b', ['a', 'b']), linked('c', ['c'])]), ['b', 'a', 'c']);
  t.strictSame(names([linked('reads', ['t']), linked('one', [], ['t']), linked('two', [], ['t'])]), [
    'one',
    'two',
    'reads',
  ]);
  const asked: unknown[] = [];
  const call = async (_: object, { params }: { params?: object }) => {
    asked.push(params);
    return { status: 200, body: { x_id: 'x', more: 'm' } };
  };
  const two = [
    { ...planned(0), needs: ['t'] },
    { ...planned(1), makes: ['t'] },
  ];
  const ended: number[] = [];
  const { results } = await carryOut(two, { call, now: () => 0, within: 1, ended: ({ index }) => ended.push(index) });
  t.strictSame(ended, [1, 0]);
  t.match(results, [{ index: 0 }, { index: 1 }], 'results are in the order sent');
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
