import t, { type Test } from 'tap';
import { getSourceReadiness, getStream, listStreams, refreshSchema, startSync, updateStream } from '../src/contract.ts';
import { type Api, ok, refusal, testPlatform } from './platform.ts';
import { ABSENT, BOTH, type StreamSource, sourceMaker } from './stream-source.ts';

t.test('a start is refused by what readiness lists', async (t) => {
  const platform = await testPlatform(t);
  const api = await platform.as('demo');
  const source = await sourceMaker(platform, api);
  await readiness(t, api, await source());
});

async function readiness(t: Test, api: Api, { params, create }: StreamSource): Promise<void> {
  const failing = async () => {
    const { ready, checks } = ok(await api(getSourceReadiness, { params }));
    return { ready, failed: checks.filter(({ status }) => status === 'fail').map(({ check }) => check) };
  };
  const start = () => api(startSync, { params });
  t.equal(refusal(await api(getSourceReadiness, { params: { source_id: ABSENT } })), '404 not_found');
  t.strictSame(await failing(), { ready: false, failed: ['source_state', 'streams_enabled'] });
  t.equal(refusal(await start()), '409 source_not_ready');
  const stream = ok(await create({ supported_sync_modes: BOTH }));
  t.strictSame(await failing(), { ready: false, failed: ['streams_enabled'] });
  t.equal(refusal(await start()), '409 no_streams_enabled');
  const modes = { sync_mode: 'incremental', write_mode: 'append' } as const;
  const body = { enabled: true, ...modes, cursor_field: ['at'] };
  ok(await api(updateStream, { params: { ...params, stream_id: stream.stream_id }, body }));
  t.strictSame(await failing(), { ready: true, failed: [] });
  t.equal(refusal(await start()), '503 no_worker', 'ready; but nobody would carry it out');

  const withoutCursor = { type: 'object', properties: { id: { type: 'integer' } } };
  const snapshot = { name: 'orders', schema: withoutCursor, supported_sync_modes: BOTH };
  const diff = ok(await api(refreshSchema, { params, body: { streams: [snapshot] } }));
  const reasons = [{ pointer: '/cursor_field', code: 'unknown_field' }];
  t.match(diff.needs_attention, [{ stream_id: stream.stream_id, enabled: true, attention: reasons }]);
  t.strictSame(await failing(), { ready: false, failed: ['schema_current', 'cursor_fields'] });
  const refused = await start();
  t.equal(refusal(refused), '422 stream_not_syncable');
  const named = { stream_id: stream.stream_id, name: 'orders' };
  t.match(refused, {
    problem: {
      streams: [
        { ...named, check: 'schema_current', code: 'needs_attention' },
        { ...named, check: 'cursor_fields', code: 'cursor_field_unknown_field' },
      ],
    },
  });
  const at = { params: { ...params, stream_id: stream.stream_id } };
  t.match(ok(await api(getStream, at)), { enabled: true, needs_attention: true, attention: reasons });
  const listed = ok(await api(listStreams, { params, query: { needs_attention: true } }));
  t.equal(listed.items.length, 1, 'it stays enabled, and is found by its filter');
  const mended = ok(await api(updateStream, { ...at, body: { cursor_field: ['id'] } }));
  t.match(mended, { needs_attention: false, attention: [], enabled: true });
  t.strictSame(await failing(), { ready: true, failed: [] });
  const { warning } = ok(await api(startSync, { params, query: { queue: true } }));
  t.match(warning, { code: 'no_worker' });
}
