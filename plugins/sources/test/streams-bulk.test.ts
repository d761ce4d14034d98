import t, { type Test } from 'tap';
import { type Api, ok, refusal, streamsOf } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { ABSENT, BOTH, type StreamSource, schema, sourceMaker } from './stream-source.ts';

t.test('many streams are changed at once', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const source = await sourceMaker(platform, api);
  await bulk(t, api, await source());
});

async function bulk(t: Test, api: Api, { params, create, bulk }: StreamSource): Promise<void> {
  const a = ok(await create({ name: 'a' }));
  const b = ok(await create({ name: 'b' }));
  const c = ok(await create({ name: 'c' }));
  const faults = async (streams: object[]) => {
    const answer = await bulk(streams);
    const errors = (answer.ok ? [] : (answer.problem.errors ?? [])).map((fault) => `${fault.pointer} ${fault.code}`);
    return [refusal(answer), ...errors];
  };

  await t.test('everything is done or nothing, and every fault has its place', async (t) => {
    const refused = await faults([
      { stream_id: a.stream_id, enabled: true },
      { name: 'b', cursor_field: ['nope'], schema },
      { stream_id: ABSENT, enabled: true },
      { name: 'new' },
      { name: 'a', enabled: false },
      { name: 'gone', delete: true },
      { name: 'n', namespace: 'n', schema },
      { name: 'c', delete: true, enabled: true },
    ]);
    t.strictSame(refused, [
      '422 streams_refused',
      '/streams/1/schema read_only',
      '/streams/1/cursor_field unknown_field',
      '/streams/2/stream_id not_found',
      '/streams/3/schema required',
      '/streams/4/name repeated',
      '/streams/5/name not_found',
      '/streams/6/namespace own_name',
      '/streams/7/enabled not_with_delete',
    ]);
    t.strictSame(await faults([{ name: 'a', etag: '99' }]), ['412 precondition_failed', '/streams/0/etag stale']);
    const table = b.destination.table;
    const taken = ['422 streams_refused', '/streams/1/destination/table destination_taken'];
    t.strictSame(
      await faults([
        { name: 'a', enabled: true },
        { name: 'c', destination: { table } },
      ]),
      taken,
    );
    const streams = await streamsOf(api, params.source_id);
    t.strictSame([...streams.values()], [a, b, c], 'nothing of all that was done');
    t.strictSame(await faults([]), ['400 validation_failed', '/streams minItems']);
    t.strictSame(await faults(Array.from({ length: 1001 }, () => ({ name: 'a' }))), [
      '400 validation_failed',
      '/streams maxItems',
    ]);
    t.strictSame((await faults([{ name: 'a', stream_id: a.stream_id }]))[0], '400 validation_failed');
    t.strictSame((await faults([{ enabled: true }]))[0], '400 validation_failed');
  });

  await t.test('it makes, changes, leaves alone and removes, in the order of the request', async (t) => {
    const answer = ok(
      await bulk([
        { name: 'new', schema, supported_sync_modes: BOTH, sync_mode: 'incremental', write_mode: 'append' },
        { name: 'a', etag: a.etag, enabled: true, write_mode: 'append' },
        { stream_id: b.stream_id },
        { name: 'c', delete: true },
        { name: 'C', schema, destination: { table: c.destination.table } },
      ]),
    );
    t.strictSame(
      answer.results.map((one) => `${one.action} ${one.name}`),
      ['created new', 'updated a', 'unchanged b', 'deleted c', 'created C'],
    );
    t.match(answer.results[0]?.stream, { enabled: false, sync_mode: 'incremental', namespace: null });
    t.match(answer.results[1]?.stream, { enabled: true, write_mode: 'append', etag: '2' });
    t.equal(answer.results[3]?.stream, null);
    t.equal(answer.results[4]?.stream?.destination.table, c.destination.table, 'what a removed one leaves is free');
    const streams = await streamsOf(api, params.source_id);
    t.strictSame([...streams.keys()].sort(), ['C', 'a', 'b', 'new']);
    t.strictSame(streams.get('b'), b);
  });

  await t.test('a thousand streams in one request', async (t) => {
    const many = Array.from({ length: 1000 }, (_, at) => ({ name: `many ${at}`, schema }));
    const { results } = ok(await bulk(many));
    t.equal(new Set(results.map((one) => one.stream?.destination.table)).size, 1000);
    const off = results.map(({ stream_id }) => ({ stream_id, delete: true }));
    t.equal(
      ok(await bulk(off)).results.every(({ action }) => action === 'deleted'),
      true,
    );
  });
}
