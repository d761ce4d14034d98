import t from 'tap';
import { createScanner, currentSchema, jdbcCatalog, prepareAppend, readMetadata } from '../src/index.ts';
import { noDatabase, openTestCatalog } from './database.ts';
import { line, openLake } from './lake.ts';

t.test('a JDBC catalog', { skip: noDatabase }, async (t) => {
  const database = await openTestCatalog();
  const lake = await openLake();
  const { sql } = database;
  const catalog = jdbcCatalog({ catalogName: 'weir', schema: database.schema });
  t.teardown(async () => {
    await lake.close();
    await database.close();
  });

  t.test('a pointer moves only from where it was seen', async (t) => {
    const ident = { namespace: 'bronze.demo', name: 'a' };
    t.equal(await catalog.loadPointer(sql, ident), undefined);
    await catalog.ensureNamespace(sql, ident.namespace);
    await catalog.ensureNamespace(sql, ident.namespace);
    await catalog.insertTable(sql, ident, 'm0');
    t.equal(await catalog.swapPointer(sql, ident, 'm0', 'm1'), true);
    t.equal(await catalog.swapPointer(sql, ident, 'm0', 'm2'), false);
    t.equal(await catalog.loadPointer(sql, ident), 'm1');
    t.strictSame(await catalog.listTables(sql, ['bronze.demo', 'none']), [{ ...ident, metadataLocation: 'm1' }]);
    t.strictSame(await catalog.listTables(sql, []), []);
    t.equal(await jdbcCatalog({ catalogName: 'other', schema: database.schema }).loadPointer(sql, ident), undefined);
    t.equal(await catalog.dropTable(sql, ident), true);
    t.equal(await catalog.dropTable(sql, ident), false);
  });

  t.test('a taken name is table_exists and leaves the transaction usable', async (t) => {
    const client = await database.pool.connect();
    const within = (text: string, params: unknown[]) => client.query(text, params);
    const ident = { namespace: 'bronze.demo', name: 'taken' };
    try {
      await client.query('begin');
      await catalog.insertTable(within, ident, 'm0');
      await t.rejects(catalog.insertTable(within, ident, 'm1'), { code: 'table_exists' });
      await client.query('commit');
    } finally {
      client.release();
    }
    t.equal(await catalog.loadPointer(sql, ident), 'm0');
  });

  t.test('8 writers who append 5 times each lose no file', async (t) => {
    const WRITERS = 8;
    const APPENDS = 5;
    const ident = { namespace: 'bronze.demo', name: 'race' };
    const created = await lake.table([{ name: 'n', type: 'long' }]);
    await catalog.insertTable(sql, ident, created.metadataLocation);
    const schema = currentSchema(created.metadata);
    let lost = 0;
    const append = async (text: string): Promise<void> => {
      const { file } = await lake.stage(created.metadata, schema, text);
      for (;;) {
        const metadataLocation = (await catalog.loadPointer(sql, ident)) ?? '';
        const metadata = await readMetadata(lake.io, metadataLocation);
        const prepared = await prepareAppend({ io: lake.io, metadata, metadataLocation, files: file ? [file] : [] });
        if (await catalog.swapPointer(sql, ident, metadataLocation, prepared.newMetadataLocation)) return;
        lost++;
        for (const orphan of prepared.written) await lake.io.remove(orphan);
      }
    };
    const writer = async (number: number): Promise<void> => {
      for (let turn = 0; turn < APPENDS; turn++) await append(line({ n: number * APPENDS + turn }));
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)));
    const scanner = createScanner({ io: lake.io });
    const metadata = await scanner.metadata((await catalog.loadPointer(sql, ident)) ?? '');
    const files = await scanner.files(metadata);
    t.equal(files.length, WRITERS * APPENDS);
    t.equal(new Set(files.map((file) => file.location)).size, WRITERS * APPENDS);
    t.equal(metadata.snapshots.length, WRITERS * APPENDS);
    t.equal(metadata['last-sequence-number'], BigInt(WRITERS * APPENDS));
    t.equal(metadata.snapshots.at(-1)?.summary['total-records'], String(WRITERS * APPENDS));
    t.comment(`${lost} commits were lost to another writer and done again`);
  });
});
