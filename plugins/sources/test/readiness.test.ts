import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { cases } from '../../../test/lane.ts';

import {
  bulkStreams,
  createStream,
  deleteStream,
  getSourceReadiness,
  getStream,
  listStreams,
  refreshSchema,
  startSync,
  updateSource,
  updateStream,
} from '../src/contract.ts';
import { snapshot } from './generated-streams.ts';
import { type Api, discovered, enableAll, filesSource, ok, refusal, streamsOf } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { ABSENT, BOTH, type StreamSource, sourceMaker } from './stream-source.ts';

t.test('a start is refused by what readiness lists', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.idle('demo');
  const source = await sourceMaker(platform, api);
  await readiness(t, api, await source());

  await t.test('whatever is configured: ready exactly when a start is accepted', async (t) => {
    const chosen = fc.record(
      {
        enabled: fc.constant(true),
        sync_mode: fc.constantFrom(...BOTH),
        write_mode: fc.constantFrom('append' as const, 'overwrite' as const),
        cursor_field: fc.constantFrom<string[] | null>(['id'], ['at'], null),
        primary_key: fc.constantFrom<string[][] | null>([['id']], null),
      },
      { requiredKeys: [] },
    );
    let ready = 0;
    const law = fc.asyncProperty(
      snapshot,
      fc.array(chosen, { maxLength: 2 }),
      fc.option(snapshot),
      async (first, all, then) => {
        const { params, source_id } = await source();
        ok(await api(refreshSchema, { params, body: { streams: first } }));
        const streams = [...(await streamsOf(api, source_id)).values()];
        for (const [at, body] of all.entries()) {
          const stream_id = streams[at]?.stream_id;
          if (stream_id !== undefined) await api(updateStream, { params: { source_id, stream_id }, body });
        }
        ok(await api(refreshSchema, { params, body: { streams: then ?? first } }));
        const answer = ok(await api(getSourceReadiness, { params }));
        const started = await api(startSync, { params, query: { queue: true } });
        if (answer.ready) ready += 1;
        return answer.ready === started.ok;
      },
    );
    await fc.assert(law, { numRuns: CASES, endOnFailure: true });
    t.ok(ready > 0, `${ready} of ${CASES} were ready`);
  });
});

t.test('what a discovery has seen is compared with what the source has', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'seen');
  await mkdir(data);
  await writeFile(join(data, 'orders.jsonl'), '{"id":1}\n');
  const { source_id } = await filesSource(api, 'seen', data);
  const params = { source_id };
  const schema = { type: 'object', properties: { id: {} } };
  const own = { name: 'own', schema, supported_sync_modes: BOTH, namespace: 'nowhere', enabled: true };
  const early = ok(await api(createStream, { params, body: own }));
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  const of = (stream_id: string) => ({ params: { source_id, stream_id } });
  const named = async (name: string) => {
    const { ready, checks } = ok(await api(getSourceReadiness, { params }));
    return { ready, ...checks.find(({ check }) => check === name) };
  };
  const current = () => named('schema_current');
  t.match(
    ok(await api(getStream, of(early.stream_id))),
    { needs_attention: true, attention: [{ pointer: '/namespace', code: 'not_discovered' }] },
    'a namespace that the source does not have needs attention',
  );
  t.match(await current(), { status: 'fail', items: [{ name: 'own', code: 'needs_attention' }] });
  ok(await api(deleteStream, of(early.stream_id)));

  const refused = await api(createStream, { params, body: own });
  t.equal(refusal(refused), '422 namespace_refused');
  t.match(refused, { problem: { errors: [{ pointer: '/namespace', code: 'not_discovered' }] } });
  const bulk = await api(bulkStreams, { params, body: { streams: [own] } });
  t.match(bulk, { problem: { errors: [{ pointer: '/streams/0/namespace', code: 'not_discovered' }] } });

  await enableAll(api, source_id, {});
  t.match(await current(), { status: 'pass' });
  ok(await api(createStream, { params, body: { ...own, name: 'unseen', namespace: null } }));
  t.match(await current(), { status: 'warning', items: [{ name: 'unseen', code: 'not_discovered' }] });
  ok(await api(updateSource, { params, body: { source_config: { path: join(data, 'gone') } } }));
  t.match(await named('proven'), { ready: false, status: 'fail', detail: /: configuration or pattern version\./ });
  t.match(await discovered(api, source_id), { status: 'failed' });
  ok(await api(updateSource, { params, body: { source_config: { path: data } } }));
  t.match(await named('proven'), {
    ready: false,
    status: 'fail',
    detail: /^The last discovery failed because of the configuration: /,
  });
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  t.match(await named('proven'), { ready: true, status: 'pass' });
  t.match(await current(), { items: [{ code: 'not_discovered' }], detail: /did not find 1 enabled stream/ });
});

/** Each case is some ten requests. */
const CASES = cases(200);

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
