import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { cases } from '../../../test/lane.ts';
import { getSource, refreshSchema, type SnapshotStreamBody, type StreamView, updateStream } from '../src/contract.ts';
import { inOrder } from '../src/model/stream/new-stream.ts';
import { discoveredNamespace } from '../src/model/stream/settings.ts';
import { snapshot } from './generated-streams.ts';
import { type Api, ok, refusal, streamsOf } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { BOTH, type StreamSource, schema, sourceMaker } from './stream-source.ts';

/** Each case is some ten requests. */
const CASES = cases(200);

t.test('a refresh over the wire keeps the rules, and tells before what it does', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const source = await sourceMaker(platform, api);

  await t.test('whatever two snapshots hold, one after the other', async (t) => {
    const law = fc.asyncProperty(snapshot, snapshot, fc.boolean(), async (first, second, configured) => {
      const { source_id } = await source();
      await refreshed(api, source_id, first);
      if (configured) await configure(api, source_id);
      await refreshed(api, source_id, second);
      await refreshed(api, source_id, []);
    });
    await fc.assert(law, { numRuns: CASES, endOnFailure: true });
    t.pass(`holds in ${CASES} cases`);
  });
  await t.test('the answer lists what is new, changed, gone and in need of attention', async (t) =>
    listed(t, api, await source()),
  );
  await t.test('a snapshot that is none is refused with its places', async (t) => refused(t, api, await source()));
});

/** Refreshes a source after a dry run, and throws unless dry run, answer and streams agree with the rules. */
async function refreshed(api: Api, source_id: string, streams: SnapshotStreamBody[]): Promise<void> {
  const call = { params: { source_id }, body: { streams } };
  const before = await streamsOf(api, source_id);
  const told = ok(await api(refreshSchema, { ...call, query: { dry_run: true } }));
  check('a dry run changes nothing', await streamsOf(api, source_id), before);
  const done = ok(await api(refreshSchema, call));
  check('a dry run tells what is done', told, done);
  const after = await streamsOf(api, source_id);
  const names = new Set(streams.map(({ name }) => name));
  const stays = [...before.values()].filter(({ name }) => streams.length === 0 || names.has(name));
  const wanted = new Set([...stays.map(({ name }) => name), ...names]);
  check('names', new Set(after.keys()), wanted);
  for (const known of stays) check('settings stay', settled(after.get(known.name)), settled(known));
  for (const { name, namespace, schema, supported_sync_modes } of streams) {
    const now = after.get(name);
    check('schema', [now?.schema, now?.supported_sync_modes], [schema, inOrder(supported_sync_modes)]);
    if (before.has(name)) continue;
    check('namespace', now?.namespace, discoveredNamespace(name, namespace));
    check('defaults', [now?.enabled, now?.sync_mode, now?.write_mode], [false, 'full_refresh', 'overwrite']);
  }
  const tables = [...after.values()].map(({ destination }) => destination.table.toLowerCase());
  check('tables', new Set(tables).size, tables.length);
  check('counts', [done.added.length, done.removed.length], [after.size - stays.length, before.size - stays.length]);
}

/** What a refresh must leave alone. */
function settled(stream: StreamView | undefined) {
  if (stream === undefined) return undefined;
  const { schema, supported_sync_modes, kept_in_extra, needs_attention, attention, updated_at, etag, ...rest } = stream;
  return rest;
}

function check(what: string, found: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(found, wanted)) return;
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** Gives every stream that can have one an incremental sync by a cursor, and switches it on. */
async function configure(api: Api, source_id: string): Promise<void> {
  for (const { stream_id, schema } of (await streamsOf(api, source_id)).values()) {
    const params = { source_id, stream_id };
    const [cursor] = Object.keys((schema.properties as object | undefined) ?? {});
    if (cursor === undefined) continue;
    const modes = { sync_mode: 'incremental', write_mode: 'append' } as const;
    await api(updateStream, { params, body: { enabled: true, ...modes, cursor_field: [cursor] } });
  }
}

async function listed(t: Test, api: Api, { params }: StreamSource): Promise<void> {
  const refresh = async (streams: object[], query = {}) =>
    ok(await api(refreshSchema, { params, query, body: { streams: streams as SnapshotStreamBody[] } }));
  const stream = (name: string, properties: object = schema.properties) => ({
    ...{ name, schema: { type: 'object', properties }, supported_sync_modes: BOTH },
  });
  const first = await refresh([stream('a'), { ...stream('b'), namespace: 'sales' }, stream('A')]);
  t.match(first, {
    added: [
      { name: 'a', namespace: null, supported_sync_modes: BOTH },
      { name: 'b', namespace: 'sales' },
      { name: 'A' },
    ],
    ...{ changed: [], removed: [], needs_attention: [], unchanged: 0 },
  });
  t.equal(new Set(first.added.map(({ dataset_id }) => dataset_id)).size, 3);
  t.equal(ok(await api(getSource, { params })).status, 'ready');
  const ids = await streamsOf(api, params.source_id);
  const b = ids.get('b')?.stream_id;
  const at = { ...params, stream_id: b ?? '' };
  const modes = { sync_mode: 'incremental', write_mode: 'append' } as const;
  ok(await api(updateStream, { params: at, body: { enabled: true, ...modes, cursor_field: ['at'] } }));
  const next = [stream('a'), { ...stream('b', { id: { type: 'string' }, more: {} }), namespace: 'other' }];
  const diff = await refresh(next);
  t.match(diff, {
    added: [],
    changed: [
      {
        ...{ stream_id: b, name: 'b', namespace: 'sales', supported_sync_modes: null },
        fields: [
          { path: ['id'], change: 'changed', from: 'integer', to: 'string' },
          { path: ['more'], change: 'added' },
          { path: ['at'], change: 'removed', from: 'string', to: null },
        ],
      },
    ],
    removed: [{ stream_id: ids.get('A')?.stream_id, name: 'A', dataset_id: first.added[2]?.dataset_id }],
    needs_attention: [{ stream_id: b, enabled: true, attention: [{ pointer: '/cursor_field' }] }],
    unchanged: 1,
  });
  t.match(await refresh(next), { added: [], changed: [], removed: [], needs_attention: [{}], unchanged: 2 });
  const back = await refresh([stream('a'), stream('b')]);
  t.match(back, { needs_attention: [], unchanged: 1 });
  t.match((await streamsOf(api, params.source_id)).get('b'), { enabled: true, namespace: 'sales', attention: [] });
  t.match(await refresh([]), { added: [], changed: [], removed: [], unchanged: 2 }, 'an empty snapshot');
}

async function refused(t: Test, api: Api, { params }: StreamSource): Promise<void> {
  const faults = async (streams: unknown) => {
    const answer = await api(refreshSchema, { params, body: { streams } as never });
    const errors = (answer.ok ? [] : (answer.problem.errors ?? [])).map((fault) => `${fault.pointer} ${fault.code}`);
    return [refusal(answer), ...errors];
  };
  const stream = { name: 'a', schema, supported_sync_modes: BOTH };
  const twice = [stream, { ...stream, name: 'b' }, { ...stream, namespace: 'x' }];
  t.strictSame(await faults(twice), ['422 stream_name_repeated', '/streams/2/name repeated']);
  t.strictSame(await faults([{ ...stream, schema: { properties: [] } }]), [
    '422 stream_schema_invalid',
    '/streams/0/schema/properties type',
  ]);
  t.strictSame(await faults([{ ...stream, supported_sync_modes: [] }]), [
    '400 validation_failed',
    '/streams/0/supported_sync_modes minItems',
  ]);
  t.strictSame(await faults([{ ...stream, enabled: true }]), [
    '400 validation_failed',
    '/streams/0 additionalProperties',
  ]);
  t.strictSame(await faults({}), ['400 validation_failed', '/streams type']);
  t.equal(refusal(await api(refreshSchema, { params, body: {} as never })), '400 validation_failed');
  t.equal(ok(await api(getSource, { params })).status, 'draft');
}
