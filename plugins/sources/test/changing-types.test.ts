import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { refreshSchema, resetStream } from '../src/contract.ts';
import { ok, streamsOf, synced } from './platform.ts';
import { describedSource } from './ready-source.ts';
import { type SharedPlatform, sharedPlatform } from './shared-platform.ts';

const SYNCS = 10;
/** A type of the column in turn, and a value of it. */
const TURNS = [
  { schema: { type: 'integer' }, value: (at: number): unknown => at },
  { schema: { type: 'string' }, value: (at: number): unknown => `text ${at}` },
  { schema: { type: 'object', properties: { a: { type: 'integer' } } }, value: (at: number): unknown => ({ a: at }) },
  { schema: { type: 'boolean' }, value: (at: number): unknown => at % 2 === 0 },
] as const;
const turnAt = (at: number) => TURNS[at % TURNS.length] ?? TURNS[0];
const propertiesAt = (at: number) => ({ id: { type: 'integer' }, v: turnAt(at).schema });

interface Row {
  v: unknown;
  extra: unknown;
  errors: unknown;
}

/** A source of one JSON-lines file whose column `v` is of another type in each sync. */
async function changing(platform: SharedPlatform, name: string, settings: object) {
  const api = await platform.as('demo');
  const data = join(platform.folder, name);
  await mkdir(data);
  const write = (at: number) =>
    writeFile(join(data, 'things.jsonl'), `${JSON.stringify({ id: at, v: turnAt(at).value(at) })}\n`);
  await write(0);
  const body = { name, pattern_id: 'files', source_config: { path: data } };
  const source_id = await describedSource(api, body, { name: 'things', properties: propertiesAt(0), ...settings });
  const params = { dataset_id: platform.bronze(`${name}__things`) };
  const refresh = async (at: number, dry_run = false) => {
    const schema = { type: 'object', properties: propertiesAt(at) };
    const stream = { name: 'things', schema, supported_sync_modes: ['full_refresh', 'incremental'] as never[] };
    const more = { source_defined_cursor: true };
    return ok(
      await api(refreshSchema, {
        params: { source_id },
        query: { dry_run },
        body: { streams: [{ ...stream, ...more }] },
      }),
    );
  };
  return {
    api,
    source_id,
    params,
    write,
    refresh,
    sync: () => synced(api, source_id),
    rows: async (): Promise<Row[]> => {
      const query = { columns: 'v,_extra,_errors', order: 'id', limit: 100 };
      const { rows } = ok(await api(previewDataset, { params, query }));
      return rows.map(([v, extra, errors]) => ({ v, extra, errors }));
    },
  };
}

/** Whether a value of a sync is to be found in its row: in the column, as text of it, or in `_extra`. */
function isKept(row: Row | undefined, at: number): boolean {
  const value = turnAt(at).value(at);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = (one: unknown) => (typeof one === 'string' ? one : JSON.stringify(one ?? null)).replaceAll(' ', '');
  const places = [row?.v, (JSON.parse(String(row?.extra ?? '{}')) as { v?: unknown }).v];
  return places.some((place) => plain(place) === text.replaceAll(' ', ''));
}

t.test('a column that is of another type in each of ten syncs', async (t) => {
  const platform = await sharedPlatform(t);

  for (const [name, settings] of [
    ['appended', { sync_mode: 'full_refresh', write_mode: 'append' }],
    ['merged', { sync_mode: 'full_refresh', write_mode: 'merge', primary_key: [['id']] }],
  ] as const) {
    await t.test(`${name} → every value is in the column or in _extra, and every sync succeeds`, async (t) => {
      const { write, refresh, sync, rows } = await changing(platform, name, settings);
      for (let at = 0; at < SYNCS; at++) {
        await write(at);
        if (at > 0) await refresh(at);
        t.match(await sync(), { status: 'succeeded', rows_written: 1, rows_rejected: 0 });
      }
      const found = await rows();
      t.equal(found.length, SYNCS);
      for (let at = 0; at < SYNCS; at++) t.ok(isKept(found[at], at), JSON.stringify(found[at]));
    });
  }

  await t.test('overwritten → the column has the type of each sync', async (t) => {
    const { write, refresh, sync, rows } = await changing(platform, 'overwritten', {
      ...{ sync_mode: 'full_refresh', write_mode: 'overwrite' },
    });
    for (let at = 0; at < SYNCS; at++) {
      await write(at);
      if (at > 0) t.strictSame((await refresh(at)).table_conflicts, [], 'an overwrite takes every type');
      t.match(await sync(), { status: 'succeeded', rows_written: 1 });
      const found = await rows();
      t.equal(found.length, 1);
      t.strictSame([found[0]?.errors, isKept(found[0], at)], [[], true], JSON.stringify(found[0]));
    }
  });

  await t.test('appended, then reset → the table gets the type that the source has now', async (t) => {
    const { api, source_id, write, refresh, sync, rows } = await changing(platform, 'cleared', {
      ...{ sync_mode: 'incremental', write_mode: 'append' },
    });
    t.match(await sync(), { status: 'succeeded' });
    const told = await refresh(1, true);
    t.match(told.table_conflicts, [{ name: 'things', columns: ['v'], dataset_id: platform.bronze('cleared__things') }]);
    t.strictSame((await refresh(1)).table_conflicts, told.table_conflicts, 'the refresh says what its dry run said');
    const stream_id = (await streamsOf(api, source_id)).get('things')?.stream_id ?? '';
    ok(await api(resetStream, { params: { source_id, stream_id } }, { 'if-match': '*' }));
    t.strictSame((await refresh(2, true)).table_conflicts, [], 'the next sync replaces the rows');
    await write(1);
    t.match(await sync(), { status: 'succeeded', rows_written: 1 });
    t.strictSame(await rows(), [{ v: 'text 1', extra: null, errors: [] }]);
  });
});
