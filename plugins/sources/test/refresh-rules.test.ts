import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import type { KeptStream } from '../src/model/discovery/entity.ts';
import type { StreamFields } from '../src/model/stream/entity.ts';
import { inOrder } from '../src/model/stream/new-stream.ts';
import { planRefresh, type StreamRefresh } from '../src/model/stream/refresh-streams.ts';
import { diffSchemas } from '../src/model/stream/schema-diff.ts';
import { discoveredNamespace, settingsOf } from '../src/model/stream/settings.ts';
import { faultsOf } from '../src/model/stream/stream-rules.ts';
import { after, kept, knownStreams, schema, snapshot } from './generated-streams.ts';

const RUNS = { numRuns: 1_000 };

/** What a refresh of a known stream may change; everything else is configuration, routing or state. */
const REFRESHED: readonly string[] = [
  ...['jsonSchema', 'supportedSyncModes', 'discovered'],
  ...['attention', 'needsAttention'],
];

const refresh = (known: readonly StreamFields[], found: readonly KeptStream[]): StreamRefresh =>
  planRefresh({
    ...{ sourceName: 'shop', known, found, from: 'snapshot' },
    takenTables: new Set([...known.map(({ destinationTable }) => destinationTable.toLowerCase()), 'shop__x']),
  });

/** Checks a law over known streams and a snapshot, 1,000 times. */
function law(name: string, holds: (known: StreamFields[], found: KeptStream[], plan: StreamRefresh) => boolean): void {
  t.test(name, async (t) => {
    const cases = fc.property(knownStreams, snapshot, (known, streams) => {
      const found = streams.map(kept);
      return holds(known, found, refresh(known, found));
    });
    fc.assert(cases, RUNS);
    t.pass('holds in every case');
  });
}

law('rule 1: streams are matched by name, and of known ones only schema and modes follow', (known, found, plan) => {
  const now = after(plan);
  return known.every((before) => {
    const described = found.find(({ name }) => name === before.name);
    const row = now.get(before.name);
    if (described === undefined) return true;
    if (row === undefined || row.streamId !== before.streamId) return false;
    const others = Object.keys(before).filter((key) => !REFRESHED.includes(key)) as (keyof StreamFields)[];
    return (
      others.every((key) => isDeepStrictEqual(row[key], before[key])) &&
      isDeepStrictEqual(row.jsonSchema, described.schema) &&
      isDeepStrictEqual(row.supportedSyncModes, inOrder(described.supported_sync_modes))
    );
  });
});

law('rule 2: new names are made with defaults and destinations of their own, case and all', (known, found, plan) => {
  const names = new Set(known.map(({ name }) => name));
  const wanted = found.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  const rows = [...after(plan).values()];
  const made = rows.filter(({ name }) => wanted.includes(name));
  const tables = [...known, ...made].map(({ destinationTable }) => destinationTable.toLowerCase());
  return (
    isDeepStrictEqual(
      plan.create.map(({ stream }) => stream.name),
      wanted,
    ) &&
    made.every(
      (row) =>
        !row.enabled && row.syncMode === 'full_refresh' && row.writeMode === 'overwrite' && row.cursorField === null,
    ) &&
    new Set(tables).size === tables.length &&
    !tables.includes('shop__x')
  );
});

law('rule 3: names that a snapshot lacks are removed, unless it is empty', (known, found, plan) => {
  const names = new Set(found.map(({ name }) => name));
  const stale = found.length === 0 ? [] : known.filter(({ name }) => !names.has(name));
  const gone = new Set(plan.remove.map(({ streamId }) => streamId));
  return gone.size === stale.length && stale.every(({ streamId }) => gone.has(streamId));
});

law('rule 4: namespace, routing, configuration and state of known streams stay', (known, _found, plan) =>
  plan.update.every(({ before, after: row }) => {
    const same = (['namespace', 'destinationTable', 'enabled', 'syncMode', 'writeMode', 'generation'] as const).every(
      (key) => row[key] === before[key],
    );
    const own = isDeepStrictEqual([row.cursorField, row.primaryKey], [before.cursorField, before.primaryKey]);
    return same && own && known.some(({ streamId }) => streamId === row.streamId);
  }),
);

t.test('an empty snapshot changes nothing', async (t) => {
  const cases = fc.property(knownStreams, (known) => {
    const { create, update, remove, unchanged } = refresh(known, []);
    return create.length + update.length + remove.length === 0 && unchanged.length === known.length;
  });
  fc.assert(cases, RUNS);
  t.pass('holds in every case');
});

law('the same snapshot again changes nothing', (_known, found, plan) => {
  const again = refresh([...after(plan).values()], found);
  return again.create.length + again.update.length + again.remove.length === 0;
});

law('a stream needs attention exactly for the rules that it breaks, and is never disabled for it', (known, _, plan) => {
  const enabled = new Map(known.map((row) => [row.streamId, row.enabled]));
  return [...after(plan).values()].every(
    (row) =>
      isDeepStrictEqual(row.attention, faultsOf(settingsOf(row))) &&
      row.needsAttention === row.attention.length > 0 &&
      (enabled.get(row.streamId) ?? false) === row.enabled,
  );
});

law('attention that a schema caused is gone when the schema comes back', (known, found, plan) => {
  const back = known.map((row) => ({ ...keptOf(row), name: row.name }));
  const restored = after(refresh([...after(plan).values()], [...back, ...newOnes(known, found)]));
  return known
    .filter(({ name }) => found.length === 0 || found.some((stream) => stream.name === name))
    .every((row) => isDeepStrictEqual(restored.get(row.name)?.attention, row.attention));
});

t.test('a removed cursor or key, and a mode that is gone, are named as reasons', async (t) => {
  const [row] = fc.sample(knownStreams, { seed: 7, numRuns: 50 }).find((list) => list.length === 1) ?? [];
  if (row === undefined) throw new Error('the sample has no source with one stream');
  const full = { properties: { id: {}, at: {} } };
  const before: StreamFields = {
    ...{ ...row, enabled: true, syncMode: 'incremental', writeMode: 'append', sourceDefinedCursor: false },
    ...{ cursorField: ['at'], primaryKey: [['id']], jsonSchema: full, attention: [], needsAttention: false },
    supportedSyncModes: ['full_refresh', 'incremental'],
  };
  const reasons = (change: Partial<KeptStream>) => {
    const found = { ...keptOf(before), ...change };
    const [update] = refresh([before], [found]).update;
    return update?.after.attention.map(({ pointer, code }) => `${pointer} ${code}`);
  };
  t.strictSame(reasons({ schema: { properties: { id: {} } } }), ['/cursor_field unknown_field']);
  t.strictSame(reasons({ schema: { properties: { at: {} } } }), ['/primary_key/0 unknown_field']);
  t.strictSame(reasons({ supported_sync_modes: ['full_refresh'] }), ['/sync_mode not_supported']);
  t.strictSame(reasons({ schema: { properties: { at: {}, id: {}, more: {} } } }), [], 'a new column is no reason');
});

t.test('a namespace as a connector tells it is a container or none', async (t) => {
  for (const none of [undefined, null, '', '  ', 'orders']) t.equal(discoveredNamespace('orders', none), null);
  t.equal(discoveredNamespace('orders', 'Orders'), 'Orders', 'another case is another name');
  t.equal(discoveredNamespace('orders', 'public'), 'public');
});

t.test('what one schema gains over another, the other lacks', async (t) => {
  const cases = fc.property(schema, schema, (a, b) => {
    const there = diffSchemas(a, b);
    const back = diffSchemas(b, a);
    const paths = (list: typeof there, change: string) =>
      list.filter((one) => one.change === change).map(({ path }) => JSON.stringify(path));
    return (
      diffSchemas(a, a).length === 0 &&
      isDeepStrictEqual(paths(there, 'added').sort(), paths(back, 'removed').sort()) &&
      isDeepStrictEqual(paths(there, 'changed').sort(), paths(back, 'changed').sort())
    );
  });
  fc.assert(cases, RUNS);
  const before = { properties: { id: { type: 'integer' }, at: { type: 'string' }, old: {} } };
  const now = { properties: { at: { type: ['null', 'string'], format: 'date' }, id: { type: 'integer' }, new: true } };
  t.strictSame(diffSchemas(before, now), [
    { path: ['at'], change: 'changed', from: 'string', to: 'null|string (date)' },
    { path: ['new'], change: 'added', from: null, to: 'any' },
    { path: ['old'], change: 'removed', from: 'any', to: null },
  ]);
});

/** A known stream as a snapshot would describe it. */
function keptOf(row: StreamFields): KeptStream {
  return {
    name: row.name,
    namespace: row.namespace ?? null,
    schema: row.jsonSchema,
    supported_sync_modes: row.supportedSyncModes,
    source_defined_cursor: row.sourceDefinedCursor,
    default_cursor_field: row.defaultCursorField ?? null,
    source_defined_primary_key: row.sourceDefinedPrimaryKey ?? null,
    discovered: row.discovered,
  };
}

function newOnes(known: readonly StreamFields[], found: readonly KeptStream[]): KeptStream[] {
  return found.filter(({ name }) => !known.some((row) => row.name === name));
}
