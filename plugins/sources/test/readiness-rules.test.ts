import fc from 'fast-check';
import t from 'tap';
import { SOURCE_STATUSES, SYNC_MODES, WRITE_MODES } from '../src/contract.ts';
import { discoveryOutcome, historyOutcome } from '../src/service/readiness/contributed-checks.ts';
import { leftAside } from '../src/service/readiness/left-aside.ts';
import {
  BLOCKING_CHECKS,
  provenOutcome,
  type SourceFacts,
  type StreamFacts,
  startRefusal,
} from '../src/service/readiness/source-checks.ts';

const RUNS = { numRuns: 1_000 };
const FIELDS = ['id', 'at'];
const path = fc.constantFrom('id', 'at', 'gone').map((name) => [name]);
const oftenTrue = fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });

const stream: fc.Arbitrary<StreamFacts> = fc
  .record({
    syncMode: fc.constantFrom(...SYNC_MODES),
    writeMode: fc.oneof(
      { weight: 9, arbitrary: fc.constant('append' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...WRITE_MODES) },
    ),
    cursorField: fc.option(path, { nil: undefined }),
    primaryKey: fc.option(
      path.map((one) => [one]),
      { nil: undefined },
    ),
    supportedSyncModes: fc.oneof(
      { weight: 9, arbitrary: fc.constant([...SYNC_MODES]) },
      { weight: 1, arbitrary: fc.constantFrom([SYNC_MODES[0]], [SYNC_MODES[1]]) },
    ),
    sourceDefinedCursor: oftenTrue,
    defaultCursorField: fc.option(path, { nil: undefined }),
    partitionBy: fc.option(
      fc.constantFrom('id', 'gone', '_extracted_at').map((column) => [{ column, transform: 'bucket[4]' }]),
      { nil: undefined, freq: 1 },
    ),
    attentive: oftenTrue,
    destinationAllowed: oftenTrue,
    streamId: fc.uuid(),
  })
  .map(({ attentive, ...settings }) => ({
    ...settings,
    name: 'orders',
    enabled: true,
    sourceDefinedPrimaryKey: undefined,
    needsAttention: !attentive,
    discovered: attentive,
    jsonSchema: { properties: Object.fromEntries(FIELDS.map((name) => [name, {}])) },
  }));

const facts: fc.Arbitrary<SourceFacts> = fc.record({
  status: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('ready' as const, 'active' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...SOURCE_STATUSES) },
  ),
  credentials: fc.oneof(
    { weight: 9, arbitrary: fc.constant('ready' as const) },
    { weight: 1, arbitrary: fc.constantFrom('missing' as const, 'unreadable' as const) },
  ),
  streams: fc.array(stream, { maxLength: 3 }),
  changed: fc.subarray(['credentials']),
});

/** The specification's checklist for one stream, said in another way than the rules say it. */
function streamMayStart(one: StreamFacts): boolean {
  const known = (field: string[] | undefined) => field !== undefined && FIELDS.includes(field[0] ?? '');
  const incremental = one.syncMode === 'incremental';
  const cursor = one.sourceDefinedCursor || known(one.cursorField ?? one.defaultCursorField);
  return [
    one.destinationAllowed && !one.needsAttention,
    one.supportedSyncModes.includes(one.syncMode),
    !incremental || one.writeMode !== 'overwrite',
    one.writeMode === 'append' || one.writeMode === 'overwrite' || one.primaryKey !== undefined,
    one.partitionBy?.[0]?.column !== 'gone',
    !incremental || cursor,
    one.cursorField === undefined || known(one.cursorField),
    one.primaryKey === undefined || one.primaryKey.every((field) => known(field)),
  ].every(Boolean);
}

t.test('readiness says ready exactly when a start is not refused, and both mean the checklist', async (t) => {
  let ready = 0;
  const cases = fc.property(facts, (source) => {
    const failed = BLOCKING_CHECKS.filter(({ judge }) => judge(source).status === 'fail');
    const refusal = startRefusal(source);
    const { status, streams, credentials } = source;
    const begins = (status === 'ready' || status === 'active') && credentials === 'ready';
    const wanted = begins && streams.length > 0 && streams.every(streamMayStart);
    if (wanted) ready += 1;
    return (failed.length === 0) === (refusal === undefined) && (refusal === undefined) === wanted;
  });
  fc.assert(cases, RUNS);
  t.ok(ready > RUNS.numRuns / 20, 'many of the cases are ready');
});

t.test('a refusal names a state by 409, and each stream with its check by 422', async (t) => {
  const cases = fc.property(facts, (source) => {
    const refusal = startRefusal(source);
    if (refusal === undefined) return true;
    if (source.status !== 'ready' && source.status !== 'active') return refusal.code === 'source_not_ready';
    if (source.credentials === 'missing') return refusal.code === 'credential_not_attached';
    if (source.credentials === 'unreadable') return refusal.code === 'credentials_unreadable';
    if (source.streams.length === 0) return refusal.code === 'no_streams_enabled';
    const named = refusal.details.members?.streams as { stream_id: string; check: string; code: string }[];
    const faulty = source.streams.filter((one) => !streamMayStart(one)).map(({ streamId }) => streamId);
    return (
      refusal.code === 'stream_not_syncable' &&
      faulty.every((id) => named.some(({ stream_id }) => stream_id === id)) &&
      named.every(({ check, code }) => BLOCKING_CHECKS.some((one) => one.check === check) && code.length > 0)
    );
  });
  fc.assert(cases, RUNS);
  t.pass('holds in every case');
});

t.test('each part of the checklist is a check of its own', async (t) => {
  const good: StreamFacts = {
    ...{ streamId: 'id', name: 'orders', enabled: true, needsAttention: false },
    ...{ discovered: true, destinationAllowed: true },
    ...{ syncMode: 'incremental', writeMode: 'append', supportedSyncModes: SYNC_MODES, sourceDefinedCursor: false },
    ...{ cursorField: ['at'], primaryKey: [['id']], defaultCursorField: undefined, sourceDefinedPrimaryKey: undefined },
    partitionBy: undefined,
    jsonSchema: { properties: { id: {}, at: {} } },
  };
  const ready = { status: 'ready', credentials: 'ready', changed: [] } as const;
  const failing = (change: Partial<StreamFacts>, source: Partial<SourceFacts> = {}) =>
    BLOCKING_CHECKS.filter(
      ({ judge }) => judge({ ...ready, streams: [{ ...good, ...change }], ...source }).status === 'fail',
    ).map(({ check }) => check);
  t.strictSame(failing({}), []);
  t.strictSame(failing({}, { status: 'draft' }), ['source_state']);
  t.strictSame(failing({}, { streams: [] }), ['streams_enabled']);
  t.strictSame(failing({}, { credentials: 'missing' }), ['credentials']);
  t.strictSame(failing({}, { credentials: 'unreadable' }), ['credentials']);
  t.strictSame(failing({ needsAttention: true }), ['schema_current']);
  t.strictSame(failing({ supportedSyncModes: ['full_refresh'] }), ['streams_configured']);
  t.strictSame(failing({ cursorField: undefined }), ['cursor_fields']);
  const merge = { syncMode: 'full_refresh', writeMode: 'merge', primaryKey: undefined } as const;
  t.strictSame(failing(merge), ['primary_keys']);
  t.strictSame(failing({ ...merge, primaryKey: [['at']] }), []);
  const hourly = { partitionBy: [{ column: 'id', transform: 'hour' }] };
  t.strictSame(failing(hourly), ['streams_configured'], 'no hours in what is no time');
  t.strictSame(failing({ destinationAllowed: false }), ['destinations']);
  const merging = BLOCKING_CHECKS.find(({ check }) => check === 'primary_keys');
  t.match(merging?.judge({ ...ready, streams: [{ ...good, ...merge }] }), {
    items: [{ id: 'id', name: 'orders', code: 'primary_key_required' }],
  });
  const current = BLOCKING_CHECKS.find(({ check }) => check === 'schema_current');
  const moved = { ...good, discovered: false };
  t.match(current?.judge({ ...ready, changed: ['credentials'], streams: [moved] }), {
    status: 'warning',
    items: [{ code: 'not_discovered' }],
  });
});

t.test('a configuration that has changed, or for which the last run failed → not proven', async (t) => {
  const failed = (what: 'discovery' | 'sync', origin: string) => ({
    what,
    failure: { origin, detail: 'No such folder.' },
  });
  t.match(provenOutcome([], undefined), { status: 'pass' });
  t.match(provenOutcome([], { what: 'sync', failure: undefined }), { status: 'pass' });
  t.match(provenOutcome([], failed('sync', 'source')), { status: 'pass' }, 'the source was at fault');
  t.match(provenOutcome(['credentials'], undefined), {
    status: 'fail',
    detail: 'Changed since the last successful discovery: credentials.',
  });
  for (const what of ['discovery', 'sync'] as const)
    t.match(provenOutcome([], failed(what, 'config')), {
      status: 'fail',
      detail: `The last ${what} failed because of the configuration: No such folder.`,
    });
});

t.test('fields, values and lines that the last sync left aside are told, stream by stream', async (t) => {
  const quiet = { streamId: 'a', name: 'a', rowsRejected: 0, rowsWithErrors: 0, schemaChanges: [] };
  t.equal(leftAside([]).status, 'pass');
  const added = { field: 'x', change: 'added', type: 'long' } as const;
  t.equal(leftAside([quiet, { ...quiet, schemaChanges: [added] }]).status, 'pass', 'a new column is nothing aside');
  const notes = (['captured', 'refused'] as const).map((change) => ({ ...added, change }));
  t.match(leftAside([quiet, { ...quiet, streamId: 'b', rowsRejected: 2, rowsWithErrors: 1, schemaChanges: notes }]), {
    status: 'warning',
    detail: /^1 stream/,
    items: ['fields_refused', 'fields_captured', 'values_refused', 'lines_quarantined'].map((code) => ({
      id: 'b',
      code,
    })),
  });
});

t.test('history and discovery warn and never refuse', async (t) => {
  t.equal(discoveryOutcome([]).status, 'warning');
  t.equal(discoveryOutcome(['running'], { hasStreams: true }).status, 'pass', 'made with its streams');
  t.equal(discoveryOutcome(['running', 'succeeded']).status, 'pass', 'an open one is not judged yet');
  t.equal(discoveryOutcome(['failed', 'succeeded']).status, 'warning');
  const warning = (name: string, code: string) => ({
    name,
    namespace: null,
    code,
    detail: 'It is torn.',
    hint: 'Sew.',
  });
  const warned = (...names: string[]) =>
    discoveryOutcome(['succeeded'], {
      warnings: [...names.map((name) => warning(name, 'torn')), warning('gone', 'stream_not_found')],
    });
  t.equal(warned().status, 'pass', 'streams that are gone are a matter of schema_current');
  t.match(warned('ä "b".c'), {
    ...{ status: 'warning', detail: 'ä "b".c cannot be described: It is torn.', hint: 'Sew.' },
    items: [{ name: 'ä "b".c', code: 'torn' }],
  });
  t.match(warned('a', 'b', 'c').detail, /2 more cannot be described\.$/);
  t.equal(historyOutcome([], false).status, 'warning');
  t.equal(historyOutcome(['running', 'succeeded'], true).status, 'pass');
  t.equal(historyOutcome(['failed', 'succeeded'], true).status, 'warning');
  t.equal(historyOutcome(['cancelled'], true).status, 'pass');
  const twice = ['running', 'failed', 'failed', 'succeeded', 'failed'] as const;
  t.equal(historyOutcome(twice, true).detail, 'The last 2 syncs failed.');
  t.match(historyOutcome(twice, false).detail, /No sync .* yet\. The last 2 syncs failed\./);
  t.equal(discoveryOutcome(twice).detail, 'The last 2 discoveries failed.');
  t.equal(discoveryOutcome(Array(11).fill('failed')).detail, 'The last 11 or more discoveries failed.');
});
