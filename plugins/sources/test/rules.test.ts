import fc from 'fast-check';
import t from 'tap';
import { newMembers } from '../src/child/value-texts.ts';
import { SOURCE_STATUSES, type SourceStatus } from '../src/contract.ts';
import { walkConfig } from '../src/model/config/walk-config.ts';
import { waitsFor } from '../src/model/discovery/waits-for.ts';
import { SOURCE_EVENTS, type SourceEvent, sourceAfter } from '../src/model/source/transitions.ts';
import { destinationTable } from '../src/model/stream/destination-name.ts';
import { planRefresh } from '../src/model/stream/refresh-streams.ts';
import { faultsOf, newFaults, refuseFaults, type StreamSettings } from '../src/model/stream/stream-rules.ts';
import { readCatalog } from '../src/work/discovery/read-catalog.ts';
import { decidingFailure } from '../src/work/sync/ledger/sync-ledger.ts';

const LEGAL: Readonly<Record<string, SourceStatus>> = {
  'draft discovery_started': 'discovering',
  'draft streams_given': 'ready',
  'draft retired': 'retired',
  'discovering discovery_started': 'discovering',
  'discovering discovery_succeeded': 'ready',
  'discovering discovery_failed': 'draft',
  'discovering streams_given': 'ready',
  'discovering retired': 'retired',
  'ready discovery_started': 'ready',
  'ready discovery_succeeded': 'ready',
  'ready discovery_failed': 'ready',
  'ready streams_given': 'ready',
  'ready sync_started': 'ready',
  'ready sync_succeeded': 'active',
  'ready retired': 'retired',
  'active discovery_started': 'active',
  'active discovery_succeeded': 'active',
  'active discovery_failed': 'active',
  'active streams_given': 'active',
  'active sync_started': 'active',
  'active sync_succeeded': 'active',
  'active retired': 'retired',
};

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

for (const status of SOURCE_STATUSES) {
  for (const event of SOURCE_EVENTS) {
    const next = LEGAL[`${status} ${event}`];
    const refusal = event === 'sync_started' ? 'source_not_ready' : 'state_conflict';
    const name = next === undefined ? `is refused as ${refusal}` : `makes it ${next}`;
    t.test(`a ${status} source: ${event} ${name}`, async (t) => {
      if (next !== undefined) t.equal(sourceAfter(status, event), next);
      else
        t.equal(
          codeOf(() => sourceAfter(status, event as SourceEvent)),
          refusal,
        );
    });
  }
}

t.test('a destination is the source, the namespace and the stream, in the charset of dataset ids', async (t) => {
  const free = () => false;
  t.equal(
    destinationTable({ sourceName: 'vega', namespace: undefined, stream: 'flights-3m' }, free),
    'vega__flights_3m',
  );
  t.equal(destinationTable({ sourceName: 'a-b', namespace: 'Public', stream: 'Ünï' }, free), 'a_b__public__uni');
  const lines = destinationTable({ sourceName: 'a', namespace: undefined, stream: 'b__quarantine' }, free);
  t.match(lines, /^a__b__quarantine_[0-9a-f]{8}$/, 'never a table of rejected lines');
});

t.test('streams that normalise alike get tables of their own, whatever their names', async (t) => {
  const streams = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }), { maxLength: 20 });
  fc.assert(
    fc.property(streams, fc.option(fc.string({ maxLength: 40 }), { nil: null }), (names, namespace) => {
      const found = names.map((name) => kept(name, namespace));
      const plan = planRefresh({
        ...{ sourceName: 'source', known: [], found, from: 'discovery' },
        takenTables: new Set(['source__a']),
      });
      const tables = plan.create.map(({ table }) => table);
      return (
        new Set(tables).size === names.length &&
        !tables.includes('source__a') &&
        tables.every((table) => /^[a-z0-9_]{1,128}$/.test(table))
      );
    }),
  );
  t.pass('holds for every set tried');
});

t.test('a catalog without streams, or with one name twice, is refused', async (t) => {
  const stream = { name: 'a', json_schema: {}, supported_sync_modes: ['full_refresh'] as const };
  t.equal(readCatalog([]), 'no_streams_found');
  t.equal(readCatalog([stream, { ...stream, namespace: 'x' }]), 'stream_names_ambiguous');
  for (const name of ['', 'a\u0000', '\ud800', 'x'.repeat(513)]) {
    t.equal(readCatalog([{ ...stream, name }]), 'stream_names_unusable');
  }
  t.equal(readCatalog([{ ...stream, default_cursor_field: ['\u0000'] }]), 'stream_names_unusable');
  t.equal(readCatalog([{ ...stream, source_defined_primary_key: [['\udc00']] }]), 'stream_names_unusable');
  t.match(
    readCatalog([{ ...stream, namespace: 'a' }]),
    [{ namespace: null }],
    'a namespace that repeats the name is none',
  );
});

t.test('a stream is syncable when its settings fit what it supports', async (t) => {
  const good: StreamSettings = {
    enabled: true,
    syncMode: 'incremental',
    writeMode: 'append',
    cursorField: ['at'],
    primaryKey: [['id']],
    partitionBy: undefined,
    supportedSyncModes: ['full_refresh', 'incremental'],
    sourceDefinedCursor: false,
    defaultCursorField: undefined,
    sourceDefinedPrimaryKey: undefined,
    jsonSchema: { properties: { id: {}, at: {} } },
  };
  const faults = (change: Partial<StreamSettings>) =>
    faultsOf({ ...good, ...change }).map(({ pointer, code }) => `${pointer} ${code}`);
  t.strictSame(faults({}), []);
  t.strictSame(faults({ cursorField: undefined }), ['/cursor_field required']);
  t.strictSame(faults({ cursorField: undefined, enabled: false }), [], 'a disabled stream may lack its cursor');
  t.strictSame(faults({ cursorField: undefined, sourceDefinedCursor: true }), []);
  t.strictSame(faults({ cursorField: undefined, defaultCursorField: ['at'] }), []);
  t.strictSame(faults({ cursorField: undefined, defaultCursorField: ['gone'] }), ['/cursor_field required']);
  t.strictSame(faults({ cursorField: ['nope'] }), ['/cursor_field unknown_field']);
  t.strictSame(faults({ primaryKey: [['id'], ['x']] }), ['/primary_key/1 unknown_field']);
  t.strictSame(faults({ supportedSyncModes: ['full_refresh'] }), ['/sync_mode not_supported']);
  t.strictSame(faults({ writeMode: 'overwrite' }), ['/write_mode not_with_incremental']);
  for (const writeMode of ['merge', 'soft_delete'] as const) {
    t.strictSame(faults({ writeMode }), [], 'full refresh or not');
    const keyless = { writeMode, primaryKey: undefined };
    t.strictSame(faults(keyless), ['/primary_key required']);
    t.strictSame(faults({ ...keyless, enabled: false }), [], 'a disabled stream may lack its key');
    t.strictSame(faults({ ...keyless, sourceDefinedPrimaryKey: [['id']] }), []);
    t.strictSame(faults({ ...keyless, sourceDefinedPrimaryKey: [['gone']] }), ['/primary_key source_key_unusable']);
    const jsonSchema = { properties: { at: {}, id: {}, o: { type: ['null', 'object'], properties: { id: {} } } } };
    t.strictSame(faults({ writeMode, jsonSchema, primaryKey: [['id'], ['o', 'id']] }), [
      '/primary_key/1 not_top_level',
    ]);
    t.strictSame(faults({ writeMode, jsonSchema, primaryKey: [['o']] }), ['/primary_key/0 not_scalar']);
    t.strictSame(faults({ jsonSchema, primaryKey: [['o', 'id']] }), [], 'only where rows are found by it');
  }
  t.equal(
    codeOf(() => refuseFaults(faultsOf({ ...good, cursorField: ['x'] }))),
    'stream_not_syncable',
  );
  for (const properties of [null, 7, [], { at: null, id: 'x' }]) {
    t.ok(faults({ jsonSchema: { properties } }), 'a schema that is none is judged, not stumbled over');
  }
});

t.test('a change is refused for what it breaks, not for what was broken before', async (t) => {
  const broken: StreamSettings = {
    ...{ enabled: true, syncMode: 'incremental', writeMode: 'append', sourceDefinedCursor: false },
    ...{ cursorField: ['gone'], primaryKey: [['gone']], supportedSyncModes: ['full_refresh', 'incremental'] },
    ...{ defaultCursorField: undefined, sourceDefinedPrimaryKey: undefined },
    partitionBy: undefined,
    jsonSchema: { properties: { id: {} } },
  };
  const before = faultsOf(broken);
  const refused = (change: Partial<StreamSettings>, named: string[]) =>
    newFaults({ ...broken, ...change }, { before, named }).map(({ pointer }) => pointer);
  t.equal(before.length, 2);
  t.strictSame(refused({ enabled: false }, ['enabled']), [], 'it can be disabled');
  t.strictSame(refused({ cursorField: ['id'] }, ['cursor_field']), [], 'it can be mended one setting after the other');
  t.strictSame(refused({ cursorField: ['gone'] }, ['cursor_field']), ['/cursor_field'], 'what is named counts');
  t.strictSame(refused({ writeMode: 'overwrite' }, ['write_mode']), ['/write_mode'], 'what is new counts');
  t.strictSame(refused({}, ['enabled']), ['/cursor_field', '/primary_key/0'], 'switching on asks for all of it');
});

t.test('only declared fields that are no credential are visible, through every branch', async (t) => {
  const spec = {
    type: 'object',
    properties: {
      host: { type: 'string' },
      token: { type: 'string', airbyte_secret: true },
      auth: {
        oneOf: [
          { properties: { kind: { const: 'basic' }, user: {}, password: { type: 'password' } } },
          { properties: { kind: { const: 'key' }, key: { format: 'password' } } },
        ],
      },
      open: { type: 'object' },
      list: { type: 'array', items: { properties: { name: {} } } },
    },
  };
  const config = {
    host: 'h',
    token: 'canary',
    auth: { kind: 'key', user: 'u', key: 'canary', password: 'canary', other: 'canary' },
    open: { anything: 'canary' },
    list: [{ name: 'n', extra: 'canary' }],
    unknown: 'canary',
  };
  const { visible, undeclared } = walkConfig(config, spec);
  t.strictSame(visible, { host: 'h', auth: { kind: 'key', user: 'u' }, open: {}, list: [{ name: 'n' }] });
  t.strictSame(undeclared.sort(), ['', '/auth', '/list/0', '/open']);
  t.strictSame(walkConfig({ host: 'h' }, spec, ['/host']).visible, {}, 'a field may be named a credential');
});

t.test('nothing undeclared is ever visible', async (t) => {
  const spec = { properties: { a: {}, b: { properties: { c: {} } } } };
  fc.assert(
    fc.property(fc.object({ maxDepth: 3 }), (config) => {
      const { visible } = walkConfig(config, spec);
      const inner = visible.b;
      const below = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? Object.keys(inner) : [];
      return Object.keys(visible).every((key) => ['a', 'b'].includes(key)) && below.every((key) => key === 'c');
    }),
  );
  t.pass('holds for every configuration tried');
});

t.test('the failure of a run is that of the stream which failed by itself', async (t) => {
  const failure = (code: string) => ({ code, origin: 'source' as const, retryable: false, detail: '' });
  const result = (code?: string) => ({
    streamId: '',
    rows: 0,
    ...(code === undefined ? {} : { failure: failure(code) }),
  });
  t.equal(decidingFailure([result()]), undefined);
  t.equal(decidingFailure([result('other_stream_failed'), result('csv_row_too_wide')])?.code, 'csv_row_too_wide');
  t.equal(decidingFailure([result('other_stream_failed')])?.code, 'other_stream_failed');
});

function kept(name: string, namespace: string | null = null) {
  return {
    name,
    namespace,
    schema: {},
    supported_sync_modes: ['full_refresh' as const],
    source_defined_cursor: false,
    default_cursor_field: null,
    source_defined_primary_key: null,
    discovered: {},
  };
}

t.test('the text of a value that does not fit its column is no new field, and every other is one', async (t) => {
  const columns = ['timestamptz', 'decimal(9, 2)', 'string'].map((type, at) => ({ name: `c${at}`, type }));
  const unknown = ['c0__text', 'c1__text', 'c2__text', 'other__text', 'c0'].map((name) => ({ name, type: 'string' }));
  const news = (rowsWithErrors: number) => newMembers(unknown, { columns, rowsWithErrors }).map(({ name }) => name);
  t.strictSame(news(1), ['c2__text', 'other__text', 'c0']);
  t.strictSame(
    news(0),
    unknown.map(({ name }) => name),
    'where every value fits there is none',
  );
  const number = [{ name: 'c0__text', type: 'long' }];
  t.strictSame(newMembers(number, { columns, rowsWithErrors: 1 }), number);
});

t.test('an open discovery → a sentence that says what it waits for, and how long at most', async (t) => {
  const bounds = { WEIR_CHECK_MAX_SECONDS: 60, WEIR_DISCOVERY_MAX_SECONDS: 1_200 };
  t.match(waitsFor('checking', bounds), /tries the configuration .* at most 60 seconds/);
  t.match(waitsFor('describing', bounds), /lists the streams .* at most 1200 seconds/);
  for (const phase of ['waiting', 'pulling', 'ended'] as const) t.equal(waitsFor(phase, bounds), null, phase);
});
