#!/usr/bin/env node
/** A tap with the habits of taps; `habit` of its configuration chooses one. */
import { readFileSync } from 'node:fs';

const args = process.argv.slice(2);
const file = (flag) =>
  args.includes(flag) ? JSON.parse(readFileSync(args[args.indexOf(flag) + 1], 'utf8')) : undefined;
const write = (text) => process.stdout.write(`${text}\n`);
/** As Python's json module does it: with spaces. */
const say = (value) => write(JSON.stringify(value).replaceAll('","', '", "').replaceAll('":', '": '));

if (args.includes('--about')) {
  write(
    JSON.stringify(
      { name: 'tap-fixture', settings: { type: 'object', properties: { habit: { type: 'string' } } } },
      null,
      2,
    ),
  );
  process.exit(0);
}
const { habit = 'good' } = file('--config') ?? {};
process.stderr.write('INFO the tap is here\n');
if (habit === 'cannot-discover') process.exit(1);

const properties = {
  id: { type: 'integer' },
  at: { type: ['null', 'string'], format: 'date-time' },
  amount: { type: 'number' },
};
const stream = (id, root) => ({
  tap_stream_id: id,
  stream: id,
  schema: { type: 'object', properties },
  key_properties: ['id'],
  metadata: [
    { breadcrumb: [], metadata: { inclusion: 'available', 'table-key-properties': ['id'], ...root } },
    { breadcrumb: ['properties', 'id'], metadata: { inclusion: 'automatic' } },
    { breadcrumb: ['properties', 'amount'], metadata: { inclusion: 'available', 'selected-by-default': false } },
  ],
});
if (args.includes('--discover')) {
  if (habit === 'prints-no-catalog') write('hello');
  else
    write(
      JSON.stringify(
        {
          streams: [
            stream('public-orders', { 'schema-name': 'public', 'valid-replication-keys': ['id'] }),
            stream('plain', { 'forced-replication-method': 'FULL_TABLE' }),
          ],
        },
        null,
        2,
      ),
    );
  process.exit(0);
}

const catalog = file('--catalog');
const chosen = catalog.streams.filter((one) => one.schema.selected && one.metadata[0].metadata.selected);
for (const one of catalog.streams.filter(({ schema }) => schema.selected)) {
  if (!one.metadata.every(({ metadata }) => metadata.selected)) throw new Error('a field is not selected');
}
const from = file('--state')?.bookmarks?.orders ?? 0;
const names = chosen.map((one) => one.tap_stream_id);
const has = (name) => names.includes(name);
write('this is no message');
for (const name of names) say({ type: 'SCHEMA', stream: name, schema: { properties }, key_properties: ['id'] });
if (habit === 'sends-batches') say({ type: 'BATCH', stream: names[0], manifest: [] });
if (has('public-orders')) {
  say({ type: 'ACTIVATE_VERSION', stream: 'public-orders', version: 1 });
  for (let id = from + 1; id <= 3; id += 1)
    say({ type: 'RECORD', stream: 'public-orders', record: { id, at: '2024-01-01T00:00:00Z' }, version: 1 });
  write('{"type": "RECORD", "stream": "public-unknown", "record": {"id": 1}}');
  if (habit === 'fails') process.exit(3);
}
if (has('plain')) {
  write('{"type": "RECORD", "stream": "plain", "record": {"id": 9007199254740993, "amount": 0.1234567890123456789}}');
  write('{"type": "RECORD", "stream": "plain", "record": {"id": 2, "amount": NaN, "at": "NaN \\"is\\" -Infinity"}}');
  say({ type: 'SCHEMA', stream: 'plain', schema: { properties: { ...properties, more: {} } }, key_properties: ['id'] });
}
if (habit === 'hangs') setInterval(() => undefined, 1000);
else say({ type: 'STATE', value: { bookmarks: { orders: 3 } } });
