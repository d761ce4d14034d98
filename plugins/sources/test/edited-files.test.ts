import { appendFile, copyFile, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaultPoint } from '@weir/kernel';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { getSyncStatus, startSync } from '../src/contract.ts';
import { killedAttempt } from './killed-attempt.ts';
import { ownAttempt } from './own-attempt.ts';
import { type enableAll, ok, testPlatform } from './platform.ts';
import { describedSource } from './ready-source.ts';

const CASES = join(import.meta.dirname, '../../../connectors/files/test/cases');
type Settings = Parameters<typeof enableAll>[2];

/** A stream of CSV files of a folder, synced by attempts in this process or in ones that are killed. */
async function csvStream(name: string, settings: Settings) {
  const api = await platform.as('demo');
  const tenant = await platform.tenant('demo');
  const kernel = platform.kernel.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel;
  const folder = join(platform.folder, name);
  await mkdir(folder);
  const source_config = { path: folder, streams: [{ name: 'rows', glob: '*.csv' }] };
  const properties = { id: { type: 'integer' }, n: { type: 'string' } };
  const body = { name, pattern_id: 'files', source_config };
  const sourceId = await describedSource(api, body, { name: 'rows', properties, ...settings });
  let stamp = 0;
  const params = { dataset_id: `bronze.demo.${name}__rows` };
  return {
    at: (file: string) => join(folder, file),
    /** Gives a file a time of change that it never had. */
    async touch(file: string): Promise<void> {
      stamp += 1;
      await utimes(join(folder, file), stamp, stamp);
    },
    /** What the table holds: the rows as `id n _file`, in order. */
    async rows(columns = 'id,n,_file'): Promise<string[]> {
      const { rows } = ok(await api(previewDataset, { params, query: { columns, limit: 100 } }));
      return rows.map((row) => row.join(' ')).toSorted();
    },
    /** Syncs the stream; an attempt before is killed at the last of these points. `between` sees the table then. */
    async sync(points: readonly FaultPoint[] = [], between: () => Promise<void> = async () => undefined) {
      const query = { queue: true };
      const { run_id } = ok(await api(startSync, { params: { source_id: sourceId }, query }));
      const [first, ...others] = points;
      if (first !== undefined) {
        await killedAttempt(platform, { run_id, source_id: sourceId }, { points: [first, ...others] });
        await between();
      }
      const { end } = await ownAttempt(platform, { runId: run_id });
      if (end !== 'done') throw end;
      await kernel?.runs.finish(tenant, run_id, { status: 'succeeded' });
      const { run } = ok(await api(getSyncStatus, { params: { source_id: sourceId }, query: { run_id } }));
      return run?.streams[0];
    },
  };
}

const platform = await testPlatform(t);

t.test('a file changes, and the sync is killed at any point → the table is the file', async (t) => {
  const { at, touch, rows, sync } = await csvStream('killed', {
    sync_mode: 'incremental',
    write_mode: 'append',
  });
  const b = ['7 g b.csv', '8 h b.csv'];
  let now: string[] = [];
  /** Changes a file, and has the sync of it killed: before it goes on the table is as it was, or as it has to be. */
  const changed = async (what: string, points: readonly FaultPoint[], wanted: readonly string[]) => {
    const before = now;
    now = [...wanted, ...b].toSorted();
    const between = async () => {
      const seen = await rows();
      t.ok(
        [before, now].some((one) => one.join() === seen.join()),
        `${what}, killed at ${points.at(-1)}: ${seen}`,
      );
    };
    const stream = await sync(points, between);
    t.strictSame(await rows(), now, what);
    return stream;
  };
  await writeFile(at('b.csv'), 'id,n\n7,g\n8,h\n');
  await copyFile(join(CASES, 'edited_before.csv'), at('a.csv'));
  await touch('a.csv');
  await changed('at first', [], ['1 a a.csv', '2 b a.csv']);
  await copyFile(join(CASES, 'edited_after.csv'), at('a.csv'));
  await touch('a.csv');
  const edited = ['1 a a.csv', '2 B-corrected a.csv'];
  const stream = await changed('edited', ['S7', 'S6'], edited);
  t.match(stream, { rows_written: 2, rows_in_table: 2, rows_replaced: 2, checksum: /:/ });
  await appendFile(at('a.csv'), '3,c\n');
  await touch('a.csv');
  t.match(await changed('longer', ['S5'], [...edited, '3 c a.csv']), {
    rows_written: 1,
    rows_in_table: 1,
    rows_replaced: 0,
  });
  await touch('a.csv');
  t.match(await changed('touched', ['S12'], [...edited, '3 c a.csv']), { rows_written: 0 });
  await writeFile(at('a.csv'), 'id,n\n1,a\n');
  await touch('a.csv');
  await changed('shorter', ['S9'], ['1 a a.csv']);
  await writeFile(at('a.csv'), '');
  await touch('a.csv');
  await changed('emptied', ['S10'], []);
  await writeFile(at('a.csv'), 'id,n\n1,z\n');
  await touch('a.csv');
  t.match(await changed('with rows again', [], ['1 z a.csv']), { files_gone: 0 });
  await rm(at('a.csv'));
  t.match(await changed('gone', ['S12'], ['1 z a.csv']), { rows_written: 0, files_gone: 1 });
  await writeFile(at('a.csv'), 'id,n\n1,y\n');
  await touch('a.csv');
  await changed('back', [], ['1 y a.csv']);
});

/** Where the attempt of a sync that brings rows can be killed. */
const POINTS: readonly FaultPoint[] = ['S5', 'S6', 'S7', 'S8', 'S9', 'S10', 'S12'];
const CHANGES: Readonly<Record<string, string | undefined>> = {
  edited: 'id,n\n1,a\n2,B\n3,c\n',
  longer: 'id,n\n1,a\n2,b\n3,c\n4,d\n',
  touched: 'id,n\n1,a\n2,b\n3,c\n',
  shorter: 'id,n\n1,a\n2,b\n',
  emptied: '',
  gone: undefined,
};

// An attempt that brings no row does not come to the first points, nor one that writes nothing to those of the commit.
const reached: Readonly<Record<string, readonly FaultPoint[]>> = {
  touched: ['S12'],
  gone: ['S12'],
  emptied: ['S6', 'S7', 'S8', 'S9', 'S10', 'S12'],
};

if (inLane('crashes')) {
  t.test('each change, and a sync that is killed at each point', async (t) => {
    const settings = { sync_mode: 'incremental', write_mode: 'append' } as const;
    const rowsOf = (text: string) =>
      text
        .split('\n')
        .slice(1, -1)
        .map((row) => `${row.replace(',', ' ')} a.csv`);
    for (const [what, text] of Object.entries(CHANGES)) {
      for (const point of reached[what] ?? POINTS) {
        const { at, touch, rows, sync } = await csvStream(`every_${what}_${point.toLowerCase()}`, settings);
        await writeFile(at('a.csv'), CHANGES.touched ?? '');
        await writeFile(at('b.csv'), 'id,n\n7,g\n');
        await sync();
        const before = await rows();
        if (text === undefined) await rm(at('a.csv'));
        else await writeFile(at('a.csv'), text);
        if (text !== undefined) await touch('a.csv');
        const wanted = text === undefined ? before : [...rowsOf(text), '7 g b.csv'];
        await sync([point], async () => {
          const seen = await rows();
          t.ok(
            [before, wanted].some((one) => one.join() === seen.join()),
            `${what}, killed at ${point}: ${seen}`,
          );
        });
        t.strictSame(await rows(), wanted, `${what}, after ${point}`);
      }
    }
  });
}

t.test('modes and tables of before', async (t) => {
  await t.test('merge: rows that no file has any more go, a key that another file has stays', async (t) => {
    const settings = { sync_mode: 'incremental', write_mode: 'merge', primary_key: [['id']] } satisfies Settings;
    const { at, touch, rows, sync } = await csvStream('merged', settings);
    await writeFile(at('a.csv'), 'id,n\n1,a\n2,a\n');
    await writeFile(at('b.csv'), 'id,n\n2,b\n3,b\n');
    await sync();
    t.strictSame(await rows(), ['1 a a.csv', '2 b b.csv', '3 b b.csv']);
    await writeFile(at('b.csv'), 'id,n\n4,b\n');
    await touch('b.csv');
    await sync();
    t.strictSame(await rows(), ['1 a a.csv', '2 a a.csv', '4 b b.csv']);
  });

  await t.test('soft_delete: such rows are marked', async (t) => {
    const settings = { sync_mode: 'incremental', write_mode: 'soft_delete', primary_key: [['id']] } satisfies Settings;
    const { at, touch, rows, sync } = await csvStream('marked', settings);
    await writeFile(at('a.csv'), 'id,n\n1,a\n2,a\n');
    await sync();
    await writeFile(at('a.csv'), 'id,n\n2,b\n');
    await touch('a.csv');
    await sync();
    const seen = await rows('id,n,_file,_deleted_at');
    t.match(seen, [/^1 a a\.csv \d{4}-/, /^2 b a\.csv $/]);
  });

  await t.test('full refresh: overwrite replaces the table, append keeps a copy of each sync', async (t) => {
    for (const [name, write_mode, copies] of [
      ['whole', 'overwrite', 1],
      ['copies', 'append', 2],
    ] as const) {
      const { at, touch, rows, sync } = await csvStream(name, { sync_mode: 'full_refresh', write_mode });
      for (const letter of ['x', 'y']) {
        await writeFile(at('a.csv'), `id,n\n1,${letter}\n`);
        await touch('a.csv');
        await sync();
      }
      t.strictSame(await rows(), ['1 x a.csv', '1 y a.csv'].slice(-copies), name);
    }
  });

  await t.test('a table whose rows have no names → they get them once, or the sync is refused by name', async (t) => {
    const settings = { sync_mode: 'incremental', write_mode: 'append' } as const;
    const { at, rows, sync } = await csvStream('unnamed', settings);
    await writeFile(at('a.csv'), 'id,n\n1,a\n');
    await writeFile(at('b.csv'), 'id,n\n2,b\n');
    await sync();
    // What a release before has stored of the same files.
    const forget = () =>
      platform.database.peek(
        `update datasets.checkpoint set state = regexp_replace(state, ',.?"named.?":true', '', 'g')`,
      );
    await forget();
    t.match(await sync(), { rows_written: 2 });
    t.strictSame(await rows(), ['1 a a.csv', '2 b b.csv'], 'also those that have names already');
    await forget();
    await rm(at('b.csv'));
    const refused = await sync().catch((error: unknown) => error);
    t.match(refused, { failure: { code: 'rows_unnamed' } });
  });
});
