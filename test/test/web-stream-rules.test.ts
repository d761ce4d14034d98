import { SCHEMA_CHANGE_POLICIES, type StreamView, SYNC_MODES, WRITE_MODES } from '@weir/plugin-sources/contract';
import fc from 'fast-check';
import t from 'tap';
import { faultsOf } from '../../plugins/sources/src/model/stream/stream-rules.ts';
import { CHOSEN, composeConfig } from '../../ui/src/form/compose-config.ts';
import { mergePatchOf, valuesOf } from '../../ui/src/form/form-values.ts';
import { fieldAtFault } from '../../ui/src/sources/configuration/field-at-fault.ts';
import { verdictSentence } from '../../ui/src/sources/receipt/verdict-words.ts';
import { planBulk, sharedFields } from '../../ui/src/sources/stream/bulk-plan.ts';
import {
  cursorFields,
  cursorOrigin,
  draftFaults,
  draftOf,
  keyFields,
  keyOrigin,
  needsCursor,
  patchOf,
  type StreamDraft,
  syncChoices,
  withSyncMode,
  writeChoices,
} from '../../ui/src/sources/stream/legal.ts';
import { fieldSentences } from '../../ui/src/sources/stream/mode-words.ts';
import { pathText, schemaFields } from '../../ui/src/sources/stream/schema-fields.ts';

const NAMES = ['id', 'Straße "x".y', 'a.b', 'updated_at', '_extra', 'ID'];
const TYPES = [
  { type: 'integer' },
  { type: ['null', 'string'], format: 'date-time' },
  { type: ['string', 'null'] },
  { type: 'boolean' },
  { type: 'array', items: {} },
  { type: 'object', properties: { 'in.ner': { type: 'string' }, n: { type: 'number' } } },
  { oneOf: [{ type: 'string' }, { type: 'integer' }] },
  { weir_type: 'long', oneOf: [] },
  {},
];

/** A stream as the API shows it; what is left out is that of a table that is read whole. */
const stream = (more: Partial<StreamView> = {}): StreamView =>
  ({
    ...{ stream_id: 's', source_id: 'o', name: 'orders', namespace: null, enabled: true, attention: [] },
    ...{ schema: { type: 'object', properties: { id: { type: 'integer' } } }, supported_sync_modes: [...SYNC_MODES] },
    ...{ source_defined_cursor: false, default_cursor_field: null, source_defined_primary_key: null },
    ...{ sync_mode: 'full_refresh', write_mode: 'overwrite', cursor_field: null, primary_key: null },
    ...{ schema_change_policy: 'evolve', kept_in_extra: [], ...more },
  }) as unknown as StreamView;

const name = fc.constantFrom(...NAMES);
const path = fc.oneof(
  name.map((one) => [one]),
  fc.tuple(name, fc.constantFrom('in.ner', 'n', 'gone')).map((both) => [...both]),
);
const key = fc.array(path, { minLength: 1, maxLength: 3 });
const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null });
const anyStream = fc
  .record({
    schema: fc
      .dictionary(name, fc.constantFrom(...TYPES), { maxKeys: 5 })
      .map((properties) => ({ type: 'object', properties }) as Record<string, unknown>),
    supported_sync_modes: fc.subarray([...SYNC_MODES], { minLength: 1 }),
    source_defined_cursor: fc.boolean(),
    default_cursor_field: orNull(path),
    source_defined_primary_key: orNull(key),
    sync_mode: fc.constantFrom(...SYNC_MODES),
    write_mode: fc.constantFrom(...WRITE_MODES),
    cursor_field: orNull(path),
    primary_key: orNull(key),
  })
  .map(stream);

/** The rules of the service on a stream with a draft, by setting. */
function serverFaults(of: StreamView, draft: StreamDraft): Set<string> {
  const faults = faultsOf({
    enabled: true,
    syncMode: draft.sync_mode,
    writeMode: draft.write_mode,
    cursorField: draft.cursor_field ?? undefined,
    primaryKey: draft.primary_key ?? undefined,
    partitionBy: undefined,
    supportedSyncModes: of.supported_sync_modes,
    sourceDefinedCursor: of.source_defined_cursor,
    defaultCursorField: of.default_cursor_field ?? undefined,
    sourceDefinedPrimaryKey: of.source_defined_primary_key ?? undefined,
    jsonSchema: of.schema,
  });
  return new Set(faults.map(({ pointer }) => pointer.split('/')[1] ?? ''));
}

t.test('whatever a stream is, what the page lets choose is what the service takes', async (t) => {
  const law = fc.property(anyStream, (of) => {
    const draft = draftOf(of);
    const takes = (next: Partial<StreamDraft>, setting: string) =>
      !serverFaults(of, { ...draft, ...next }).has(setting);
    for (const { value, why } of syncChoices(of))
      check((why === undefined) === takes({ sync_mode: value }, 'sync_mode'), `sync mode ${value}`);
    for (const { value, why } of writeChoices(of, draft))
      if (why === undefined) check(takes({ write_mode: value }, 'write_mode'), `write mode ${value}`);
    for (const { path: cursor_field } of cursorFields(of))
      check(takes({ cursor_field }, 'cursor_field'), `cursor ${cursor_field}`);
    for (const { path: one } of keyFields(of))
      check(takes({ primary_key: [one], write_mode: 'merge' }, 'primary_key'), `key ${one}`);
    const origin = cursorOrigin(of, draft);
    if (origin === 'missing') check(!takes({}, 'cursor_field'), 'a missing cursor');
    if (origin === 'chosen' || origin === 'source')
      check(of.source_defined_cursor || takes({}, 'cursor_field'), 'a cursor that is there');
    const keyed = keyOrigin(of, draft);
    if (keyed !== 'not_needed') check((keyed === 'missing') === !takes({}, 'primary_key'), `a key ${keyed}`);
    if (
      Object.keys(draftFaults(of, draft)).length === 0 &&
      !of.source_defined_cursor &&
      draft.sync_mode === 'incremental'
    )
      check(serverFaults(of, draft).size === 0 || draft.primary_key !== null, 'no fault here, none there');
  });
  fc.assert(law, { numRuns: 1_500 });
  t.pass('holds');
});

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

t.test('a choice that needs another → the other is set or asked for', async (t) => {
  const keyed = stream({ source_defined_primary_key: [['id']] });
  t.match(withSyncMode(keyed, draftOf(keyed), 'incremental'), { sync_mode: 'incremental', write_mode: 'merge' });
  const bare = stream();
  const next = withSyncMode(bare, draftOf(bare), 'incremental');
  t.match(next, { write_mode: 'append' });
  t.strictSame(Object.keys(draftFaults(bare, next)), ['cursor_field']);
  t.strictSame(draftFaults(bare, { ...next, cursor_field: ['id'] }), {});
  t.strictSame(Object.keys(draftFaults(bare, { ...draftOf(bare), write_mode: 'merge' })), ['primary_key']);
  t.match(withSyncMode(keyed, { ...draftOf(keyed), write_mode: 'append' }, 'incremental'), { write_mode: 'append' });
  t.strictSame(patchOf(keyed, withSyncMode(keyed, draftOf(keyed), 'full_refresh')), {}, 'nothing to save');
  t.equal(needsCursor(stream({ sync_mode: 'incremental' })), true);
  t.equal(needsCursor(stream({ sync_mode: 'incremental', default_cursor_field: ['id'] })), false);
});

t.test('settings for many streams → on those that can have them, with the reason for the others', async (t) => {
  const at = { type: 'string', format: 'date-time' };
  const fields = (...names: string[]) => ({ properties: Object.fromEntries(names.map((one) => [one, at])) });
  const streams = [
    stream({ name: 'orders', schema: fields('id', 'updated_at'), source_defined_primary_key: [['id']] }),
    stream({ name: 'log', schema: fields('updated_at') }),
    stream({ name: 'whole', schema: fields('id', 'updated_at'), supported_sync_modes: ['full_refresh'] }),
    stream({ name: 'Größen "a".b', schema: fields('id') }),
    stream({ name: 'followed', schema: fields('id'), source_defined_cursor: true }),
    stream({ name: 'empty', schema: { type: 'object' } }),
  ];
  const names = (list: { stream: StreamView }[]) => list.map(({ stream: { name } }) => name);
  const plan = planBulk(streams, { sync_mode: 'incremental', cursor_field: ['updated_at'] });
  t.strictSame(names(plan.set), ['orders', 'log', 'followed']);
  t.match(
    plan.set.map(({ patch }) => patch),
    [
      { sync_mode: 'incremental', write_mode: 'merge', cursor_field: ['updated_at'] },
      { write_mode: 'append' },
      { sync_mode: 'incremental', write_mode: 'append' },
    ],
  );
  t.match(
    plan.left.map(({ stream: { name }, why }) => `${name}: ${why}`),
    [
      /^whole: The source can only be read whole/,
      /^Größen "a"\.b: It has no field updated_at that can be a cursor/,
      /^empty: It has no field/,
    ],
  );
  const bare = planBulk(streams.slice(0, 2), { sync_mode: 'incremental' });
  t.match(bare, { set: [], left: [{ why: /Choose the field that shows/ }, {}] }, 'a cursor is asked for');
  t.match(planBulk(streams.slice(0, 2), { write_mode: 'merge' }).left, [{ why: /Choose the fields that identify/ }]);
  t.strictSame(names(planBulk(streams, { primary_key: [['id'], ['updated_at']] }).set), ['orders', 'whole']);
  t.match(planBulk(streams.slice(0, 1), { schema_change_policy: 'evolve' }), { same: [{ name: 'orders' }] });
  t.match(planBulk(streams.slice(4, 5), { cursor_field: ['id'] }).left, [{ why: /decides the cursor/ }]);
  t.match(
    planBulk(streams.slice(0, 1), { sync_mode: 'incremental', write_mode: 'overwrite', cursor_field: ['id'] }).left,
    [{ why: /An increment would replace/ }],
  );
  t.strictSame(sharedFields(streams, cursorFields).slice(0, 2), [
    { path: ['id'], count: 4 },
    { path: ['updated_at'], count: 3 },
  ]);
  t.equal(SCHEMA_CHANGE_POLICIES.length, 3);
});

t.test('the fields of a schema → names as they are, those of objects below them', async (t) => {
  const schema = {
    properties: {
      'a.b "c"': { type: ['null', 'object'], properties: { ä: { type: 'string', description: 'inner' } } },
      n: { type: 'integer', postgres_type: 'bigint not null' },
      odd: true,
    },
  };
  t.match(schemaFields({ schema }), [
    { path: ['a.b "c"'], type: 'object', isNullable: true, isJson: true },
    { path: ['a.b "c"', 'ä'], type: 'string', description: 'inner' },
    { path: ['n'], type: 'bigint not null', isJson: false },
    { path: ['odd'], type: 'any' },
  ]);
  t.strictSame(schemaFields({ schema: {} }), []);
  t.equal(pathText(['a.b "c"', 'ä']), 'a.b "c" › ä');
});

const SPEC = {
  oneOf: [{ required: ['path'] }, { required: ['url'] }],
  properties: {
    path: { type: 'string' },
    url: { type: 'string' },
    port: { type: 'integer' },
    token: { type: 'string', airbyte_secret: true },
    on: { type: 'boolean' },
    tls: { type: 'object', properties: { mode: { type: 'string' }, key: { type: 'string', airbyte_secret: true } } },
    auth: {
      oneOf: ['none', 'basic'].map((kind) => ({ properties: { kind: { const: kind }, user: { type: 'string' } } })),
    },
    streams: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    globs: { type: 'array', items: { type: 'string' } },
  },
};

t.test('a configuration that is there → the form that made it, and a patch of what changes in it', async (t) => {
  const text = fc.stringMatching(/^[a-zäöü"'. ]{1,8}$/);
  const config = fc.record(
    {
      url: text,
      port: fc.integer(),
      on: fc.boolean(),
      tls: fc.record({ mode: text }),
      auth: fc.record({ kind: fc.constantFrom('none', 'basic'), user: text }),
      streams: fc.array(fc.record({ name: text }), { minLength: 1, maxLength: 3 }),
      globs: fc.array(text, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['url'] },
  );
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const law = fc.property(config, config, (one, other) => {
    const made = (given: object) => composeConfig(SPEC, valuesOf(SPEC, given as never), ['/token', '/tls/key']).config;
    t.equal(JSON.stringify(plain(sorted(made(one)))), JSON.stringify(plain(sorted(one))));
    const patch = mergePatchOf(one, other) ?? {};
    t.equal(JSON.stringify(sorted(merged(one, patch))), JSON.stringify(sorted(plain(other))));
  });
  fc.assert(law, { numRuns: 150 });
  t.match(valuesOf(SPEC, { url: 'u' }), { [CHOSEN]: 'url' });
  t.equal(mergePatchOf({ a: 1 }, { a: 1 }), undefined);
  t.strictSame(mergePatchOf({ path: 'a', tls: { mode: 'x' } }, { url: 'b', tls: {} }), {
    ...{ path: null, url: 'b', tls: { mode: null } },
  });
});

/** RFC 7396. */
function merged(before: object, patch: object): object {
  const after: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete after[key];
    else if (typeof value === 'object' && !Array.isArray(value))
      after[key] = merged((after[key] as object) ?? {}, value);
    else after[key] = value;
  }
  return after;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([k, v]) => [k, sorted(v)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

t.test('a failure → the field of the configuration that it is about', async (t) => {
  const spec = { properties: { path: {}, glob: {}, 'a/b': {}, ssl_mode: {}, host: {} } };
  const of = (code: string, origin = 'source', hint: string | null = null) =>
    fieldAtFault({ code, origin, hint }, spec);
  t.equal(of('folder_unreadable', 'config'), '/path');
  t.equal(of('no_files_matched', 'config'), '/glob', 'named streams are not configured here');
  t.equal(of('server_unreachable'), '/host');
  t.equal(of('config_invalid', 'config', 'ssl_mode: Give host.'), '/ssl_mode', 'the hint names it');
  t.equal(of('csv_invalid', 'source', 'orders.csv: Check the delimiter'), undefined, 'a file is no field');
  t.equal(of('no_such_code', 'config'), '', 'the configuration as a whole');
  t.equal(of('server_failed'), undefined);
  t.equal(fieldAtFault({ code: 'x', origin: 'config', hint: 'toString: x' }, spec), '', 'an inherited member is none');
});

t.test('what a verification has found → one sentence', async (t) => {
  const outcome = (...verdicts: ('equal' | 'different' | 'unverifiable')[]) => ({
    verdict: (['different', 'unverifiable', 'equal'] as const).find((one) => verdicts.includes(one)) ?? 'equal',
    streams: verdicts.map((verdict) => ({ verdict })) as never,
  });
  t.match(verdictSentence(outcome('equal')), /^The table holds exactly/);
  t.match(verdictSentence(outcome('equal', 'equal')), /^The tables of 2 streams hold exactly/);
  t.match(verdictSentence(outcome('equal', 'different')), /^1 stream has other rows/);
  t.match(verdictSentence(outcome('equal', 'unverifiable')), /^1 stream cannot be checked; 1 stream is equal/);
});

t.test('what a sync did with new fields → a sentence each, with the rows that have them in _extra', async (t) => {
  const changes = (captured: string[]) => [
    ...captured.map((field) => ({ field, change: 'captured' as const, type: 'string' })),
    { field: 'note', change: 'added' as const, type: 'string' },
    { field: 'amount', change: 'widened' as const, type: 'double' },
  ];
  t.strictSame(fieldSentences({ schema_changes: changes(['discount', 'Größe']), rows_with_extra: 1 }), [
    'New in the table: note.',
    'Of a wider type now: amount.',
    'No column for discount, Größe: their values are in _extra of 1 row.',
  ]);
  const many = Array.from({ length: 40 }, (_, at) => `f${at}`);
  const [, , kept = ''] = fieldSentences({ schema_changes: changes(many), rows_with_extra: 2_000 });
  t.match(kept, /f7 and 32 more: .* of 2,000 rows/);
  t.strictSame(fieldSentences({ schema_changes: [], rows_with_extra: 2 }), [
    'Values that fit no column are in _extra of 2 rows.',
  ]);
  t.strictSame(fieldSentences({ schema_changes: [], rows_with_extra: 0 }), []);
});
