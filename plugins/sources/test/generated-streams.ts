import fc from 'fast-check';
import { type SnapshotStreamBody, SYNC_MODES, WRITE_MODES } from '../src/contract.ts';
import type { KeptStream } from '../src/model/discovery/entity.ts';
import type { StreamFields } from '../src/model/stream/entity.ts';
import { keptStream, newStream } from '../src/model/stream/new-stream.ts';
import type { StreamRefresh } from '../src/model/stream/refresh-streams.ts';
import { discoveredNamespace, withAttention } from '../src/model/stream/settings.ts';

/** Few enough that generated lists meet each other; some differ by case alone, or normalise alike. */
export const NAMES = ['orders', 'Orders', 'ORDERS', 'a-b', 'a_b', 'a b', 'é', 'e', 'x', 'y', '__proto', 'toString'];
const FIELDS = ['id', 'at', 'total', 'Total'];
const NAMESPACES = [undefined, null, '', ' ', 'public', 'sales', 'orders'];

const field = fc.constantFrom<object>(
  { type: 'integer' },
  { type: ['null', 'string'], format: 'date-time' },
  { type: 'object', properties: { inner: { type: 'string' } } },
  {},
);
const properties = fc.dictionary(fc.constantFrom(...FIELDS), field);

/** The JSON schema of a record, sometimes open. */
export const schema = fc.oneof(
  { weight: 9, arbitrary: properties.map((found) => ({ type: 'object', properties: { ...found } })) },
  { weight: 1, arbitrary: fc.constant({ type: 'object' }) },
);
const path = fc.constantFrom(...FIELDS).map((name) => [name]);
const modes = fc.uniqueArray(fc.constantFrom(...SYNC_MODES), { minLength: 1, maxLength: 2 });

/** One stream of a snapshot, as the wire takes it. */
export const snapshotStream: fc.Arbitrary<SnapshotStreamBody> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    namespace: fc.constantFrom(...NAMESPACES),
    schema,
    supported_sync_modes: modes,
    source_defined_cursor: fc.boolean(),
    default_cursor_field: fc.option(path, { nil: null }),
    source_defined_primary_key: fc.option(
      path.map((one) => [one]),
      { nil: null },
    ),
  })
  .map(({ namespace, ...stream }) => (namespace === undefined ? stream : { ...stream, namespace }));

/** A complete snapshot: every name once; empty now and then. */
export const snapshot = fc.uniqueArray(snapshotStream, { selector: ({ name }) => name, maxLength: NAMES.length });

const settings = fc.record({
  enabled: fc.boolean(),
  syncMode: fc.constantFrom(...SYNC_MODES),
  writeMode: fc.constantFrom(...WRITE_MODES),
  cursorField: fc.option(path, { nil: null }),
  primaryKey: fc.option(
    path.map((one) => [one]),
    { nil: null },
  ),
  generation: fc.integer({ min: 1, max: 5 }),
  version: fc.integer({ min: 1, max: 50 }),
});
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/** The streams of a source in any configuration, also in one that its rules refuse by now. */
export const knownStreams: fc.Arbitrary<StreamFields[]> = fc
  .uniqueArray(fc.tuple(snapshotStream, settings), { selector: ([{ name }]) => name, maxLength: NAMES.length })
  .map((streams) =>
    streams.map(([stream, chosen], at) => {
      const place = { sourceId: 's', table: `table_${at}` };
      return withAttention<StreamFields>({ ...newStream(kept(stream), place, LONG_AGO), ...chosen });
    }),
  );

/** A stream of a snapshot as the service keeps it. */
export function kept(stream: SnapshotStreamBody): KeptStream {
  return keptStream(stream, discoveredNamespace(stream.name, stream.namespace));
}

/** The streams of a source after a refresh, by name. */
export function after(plan: StreamRefresh): Map<string, StreamFields> {
  const created = plan.create.map(({ stream, table }) => newStream(stream, { sourceId: 's', table }, LONG_AGO));
  const rows = [...created, ...plan.update.map((update) => update.after), ...plan.unchanged];
  return new Map(rows.map((row) => [row.name, row]));
}
