import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { SCHEMA_CHANGE_POLICIES, SYNC_MODES, WRITE_MODES } from '../src/contract.ts';
import { newStream } from '../src/model/stream/new-stream.ts';
import { changesOf, settingsOf, withAttention } from '../src/model/stream/settings.ts';
import { withStreamDefaults } from '../src/model/stream/stream-defaults.ts';
import { faultsOf, newFaults } from '../src/model/stream/stream-rules.ts';
import { kept, snapshotStream } from './generated-streams.ts';

const RUNS = { numRuns: 1_000 };
const NOW = new Date('2026-01-01T00:00:00Z');

const defaults = fc.record(
  {
    sync_mode: fc.constantFrom(...SYNC_MODES),
    write_mode: fc.constantFrom(...WRITE_MODES),
    schema_change_policy: fc.constantFrom(...SCHEMA_CHANGE_POLICIES),
  },
  { requiredKeys: [] },
);
const stream = snapshotStream.map((found) => newStream(kept(found), { sourceId: 's', table: 'x' }, NOW));

t.test(
  'a new stream is as a change would make it that also switches it on, or is read and written as ever',
  async (t) => {
    const cases = fc.property(stream, defaults, (plain, wanted) => {
      const changed = { ...plain, ...changesOf(wanted) };
      const change = { before: faultsOf(settingsOf(plain)), named: ['enabled', ...Object.keys(wanted)] };
      const taken = newFaults(settingsOf({ ...changed, enabled: true }), change).length === 0;
      const { schema_change_policy } = wanted;
      const rest = schema_change_policy === undefined ? {} : { schema_change_policy };
      const expected = withAttention(taken ? changed : { ...plain, ...changesOf(rest) });
      return isDeepStrictEqual(withStreamDefaults(plain, wanted), expected);
    });
    fc.assert(cases, RUNS);
    t.pass('holds in every case');
  },
);

t.test('no default breaks a rule, and none switches a stream on', async (t) => {
  const cases = fc.property(stream, defaults, (plain, wanted) => {
    const row = withStreamDefaults(plain, wanted);
    const broken = (one: typeof row) => faultsOf(settingsOf({ ...one, enabled: true })).length > 0;
    return !row.enabled && (!broken(row) || broken(plain));
  });
  fc.assert(cases, RUNS);
  t.pass('holds in every case');
});

t.test('a stream without a cursor or a key has neither of the two modes', async (t) => {
  const of = (change: object) => {
    const schema = { properties: { id: { type: 'integer' }, at: { type: 'string' } } };
    const modes = { supported_sync_modes: [...SYNC_MODES] };
    const row = newStream(kept({ name: 'x', schema, ...modes, ...change }), { sourceId: 's', table: 'x' }, NOW);
    const { syncMode, writeMode, schemaChangePolicy } = withStreamDefaults(row, {
      ...{ sync_mode: 'incremental', write_mode: 'merge', schema_change_policy: 'evolve' },
    });
    return `${syncMode} ${writeMode} ${schemaChangePolicy}`;
  };
  const [cursor, key] = [{ default_cursor_field: ['at'] }, { source_defined_primary_key: [['id']] }];
  t.equal(of({ ...cursor, ...key }), 'incremental merge evolve');
  t.equal(of({ source_defined_cursor: true, ...key }), 'incremental merge evolve');
  for (const lacking of [key, cursor, { ...cursor, ...key, supported_sync_modes: ['full_refresh'] }])
    t.equal(of(lacking), 'full_refresh overwrite evolve');
});
