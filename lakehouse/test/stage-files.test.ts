import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import {
  addChecksums,
  type Column,
  type ColumnType,
  createStager,
  createTable,
  currentSchema,
  type FileIO,
  localFileIO,
  localPath,
  type PartitionBy,
  QUARANTINE_COLUMNS,
  rowChecksumSql,
  type Stager,
  type Transform,
  withMetaColumns,
} from '../src/index.ts';
import { applyTransform } from '../src/partition/partition-transform.ts';
import { partitionSpec } from '../src/partition/partition-type.ts';
import { encodePartitionValue } from '../src/stage/stage-partition.ts';
import { line, SHAPE } from './lake.ts';

type Place = { root: string; io: FileIO; stager: Stager; connection: DuckDBConnection };

async function openPlace(): Promise<Place & { close(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'weir-files-'));
  const io = localFileIO({ root });
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const close = async (): Promise<void> => {
    stager.close();
    connection.closeSync();
    instance.closeSync();
    await rm(root, { recursive: true, force: true });
  };
  return { root, io, stager, connection, close };
}

/** A value of a column as a line has it, and its text for the single-value encoding. */
const VALUES: readonly (readonly [ColumnType, readonly (readonly [unknown, string])[], readonly Transform[]])[] = [
  [
    'long',
    [
      [34, '34'],
      [-1, '-1'],
      [-10, '-10'],
      ['9223372036854775807', '9223372036854775807'],
    ],
    ['identity', 'bucket[16]', 'truncate[10]'],
  ],
  [
    'int',
    [
      [34, '34'],
      [-7, '-7'],
    ],
    ['identity', 'bucket[7]', 'truncate[3]'],
  ],
  [
    'string',
    [
      ['iceberg', 'iceberg'],
      ['', ''],
      ['a/b=c %', 'a/b=c %'],
      ['😀x'.repeat(90), '😀x'.repeat(90)],
    ],
    ['identity', 'bucket[100]', 'truncate[3]', 'void'],
  ],
  [
    'decimal(18, 2)',
    [
      ['14.20', '1420'],
      ['-0.05', '-5'],
      ['0', '0'],
    ],
    ['identity', 'bucket[16]', 'truncate[50]'],
  ],
  [
    'date',
    [
      ['2017-11-16', '17486'],
      ['1969-12-31', '-1'],
      ['1900-03-01', '-25508'],
    ],
    ['identity', 'bucket[16]', 'year', 'month', 'day'],
  ],
  [
    'timestamp',
    [
      ['2017-11-16T22:31:08', '1510871468000000'],
      ['1969-12-31T23:59:59.999999', '-1'],
    ],
    ['bucket[16]', 'year', 'month', 'day', 'hour', 'identity'],
  ],
  [
    'timestamptz',
    [
      ['2017-11-16T14:31:08-08:00', '1510871468000000'],
      ['1969-12-31T23:59:59.999999Z', '-1'],
    ],
    ['bucket[16]', 'year', 'month', 'day', 'hour'],
  ],
  ['time', [['22:31:08', '81068000000']], ['bucket[16]', 'identity']],
  ['uuid', [['f79c3e09-677c-4bbd-a479-3f349cb785e7', 'f79c3e09677c4bbda4793f349cb785e7']], ['bucket[16]', 'identity']],
  [
    'binary',
    [
      ['AAECAw==', '00010203'],
      ['', ''],
    ],
    ['bucket[16]', 'identity', 'truncate[2]'],
  ],
  [
    'boolean',
    [
      [true, '1'],
      [false, '0'],
    ],
    ['identity'],
  ],
];

t.test('data files in folders', async (t) => {
  const place = await openPlace();
  t.teardown(place.close);
  const { root, io, stager, connection } = place;
  const table = async (data: readonly Column[], partitionBy?: PartitionBy) => {
    const location = `file://${root}/${randomUUID()}`;
    const { metadata } = await createTable({
      io,
      location,
      columns: withMetaColumns(data),
      ...(partitionBy ? { partitionBy } : {}),
    });
    return { schema: currentSchema(metadata), spec: partitionSpec(metadata), location };
  };
  const spool = async (text: string | Buffer): Promise<string> => {
    const source = join(root, `${randomUUID()}.ndjson`);
    await writeFile(source, text);
    return source;
  };
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const from = (files: readonly { location: string }[]): string =>
    `read_parquet([${files.map((file) => `'${localPath(file.location)}'`).join()}], union_by_name = true)`;

  t.test('rows lie in the partition that the transforms of the specification name', async (t) => {
    for (const [type, values, transforms] of VALUES) {
      for (const transform of transforms) {
        const { schema, spec, location } = await table(
          [
            { name: 'n', type: 'long' },
            { name: 'v', type },
          ],
          [{ column: 'v', transform }],
        );
        const all = [...values, [null, ''] as const];
        const source = await spool([...all, ...all].map(([v], n) => line({ n, v })).join(''));
        const folder = `${location}/data/x`;
        const result = await stager.copy({ source, shape: SHAPE, schema, spec, folder, runId: 'r', position: 0 });
        t.match(result, { rows: 2 * all.length, rowsWithErrors: 0 }, `${type} ${transform}`);
        const type1 = type as never;
        for (const file of result.files) {
          t.ok(file.location.startsWith(`${folder}/`));
          t.equal(file.spec_id, spec['spec-id']);
          const rows = await read(`SELECT n FROM ${from([file])}`);
          for (const { n } of rows) {
            const [value, text] = all[Number(n) % all.length]!;
            const wanted = applyTransform(transform, type1, value === null ? null : encodePartitionValue(type1, text));
            t.equal(
              Object.values(file.partition ?? {})[0],
              wanted?.toString('base64') ?? null,
              `${type} ${transform} ${text}`,
            );
          }
        }
        const parts = result.files.map((file) => JSON.stringify(file.partition));
        t.equal(new Set(parts).size, parts.length, 'one file for each partition');
      }
    }
  });

  t.test(
    'a checksum does not change with the order, the division, added and widened columns, and adds up',
    async (t) => {
      const narrow: Column[] = [
        { name: 'i', type: 'int' },
        { name: 'f', type: 'float' },
        { name: 'm', type: 'decimal(9, 2)' },
        { name: 's', type: 'string' },
      ];
      const data = Array.from({ length: 50 }, (_, i) =>
        line({
          i: i % 7 ? i : null,
          f: i / 4,
          m: `${i}.25`,
          s: i % 5 ? `row ${i}` : null,
          ...(i % 9 ? {} : { more: i }),
        }),
      );
      const plain = await table(narrow);
      const split = await table(narrow, [{ column: 'i', transform: 'bucket[4]' }]);
      const copy = async ({ schema, spec, location }: typeof plain, lines: readonly string[]) =>
        stager.copy({
          source: await spool(lines.join('')),
          shape: SHAPE,
          schema,
          spec,
          folder: `${location}/data/${randomUUID()}`,
          runId: randomUUID(),
          position: 0,
        });
      const whole = await copy(plain, data);
      t.match(whole.checksum, /^duckdb-hash64-v1:[0-9a-f]{16}$/);
      t.equal((await copy(split, data.toReversed())).checksum, whole.checksum);
      const halves = [await copy(plain, data.slice(0, 20)), await copy(split, data.slice(20))];
      t.equal(addChecksums(halves[0]!.checksum, halves[1]!.checksum), whole.checksum);
      t.equal(addChecksums('a:1', 'b:1'), undefined);
      const fields = [
        ...plain.schema.fields.map((field) => ({
          ...field,
          ...(field.name === 'i'
            ? { type: 'long' as const }
            : field.name === 'f'
              ? { type: 'double' as const }
              : field.name === 'm'
                ? { type: 'decimal(38, 2)' as const }
                : {}),
        })),
        { id: 99, name: 'added', required: false, type: 'string' as const },
      ];
      const evolved = await read(
        `SELECT ${rowChecksumSql({ fields })} AS c FROM (SELECT * REPLACE (i::BIGINT AS i, f::DOUBLE AS f, m::DECIMAL(38, 2) AS m), NULL::VARCHAR AS added FROM ${from(whole.files)})`,
      );
      t.equal(evolved[0]?.c, whole.checksum);
      const changed = [...data.slice(1), line({ i: null, f: 0, m: '0.25', s: 'x', more: 0 })];
      t.not((await copy(plain, changed)).checksum, whole.checksum);
      const swapped = data
        .map((one) => one.replace('"s":"row 1"', '"s":"row 2"'))
        .map((one, at) => (at === 2 ? data[1]!.replace(/"i":1,/, '"i":2,') : one));
      t.not((await copy(plain, swapped)).checksum, whole.checksum);
    },
  );

  t.test('the hash of values is the one that earlier checksums were made with', async (t) => {
    const fields = [
      { id: 1, name: 'a', required: false, type: 'long' as const },
      { id: 2, name: 's', required: false, type: 'string' as const },
      { id: 3, name: 'd', required: false, type: 'double' as const },
      { id: 4, name: 'm', required: false, type: 'decimal(38, 9)' as const },
      { id: 5, name: 't', required: false, type: 'timestamptz' as const },
      { id: 6, name: 'b', required: false, type: 'binary' as const },
    ];
    const rows = `(VALUES (1, 'iceberg', 1.5::DOUBLE, 1.25::DECIMAL(38, 9), TIMESTAMPTZ '2024-01-01 00:00:00+00', '\\x01'::BLOB),
      (NULL, NULL, NULL, NULL, NULL, NULL), (-9223372036854775808, repeat('ü', 100), 'nan', -1, NULL, ''::BLOB)) v(a, s, d, m, t, b)`;
    const [row] = await read(`SELECT ${rowChecksumSql({ fields })} AS c FROM ${rows}`);
    t.equal(row?.c, 'duckdb-hash64-v1:ed6d328053d2c5cd');
  });

  t.test('lines without a whole key are rejected, also among lines that cannot be read', async (t) => {
    const { schema, location } = await table([
      { name: 'k', type: 'long' },
      { name: 'v', type: 'string' },
    ]);
    const lines = [
      line({ k: 1, v: 'a' }),
      line({ v: 'b' }),
      '{"record"\n',
      line({ k: 'x' }),
      line({ k: null }),
      line({ k: 2 }),
    ];
    const source = await spool(lines.join(''));
    const folder = `${location}/data/x`;
    const key = [schema.fields[0]!.id];
    const result = await stager.copy({
      source,
      shape: SHAPE,
      schema,
      folder,
      runId: 'r',
      key,
      position: 10,
      lines: 6,
      ordered: true,
    });
    t.match(result, { rows: 2, rejected: { count: 4, reasons: { key_missing: 3, malformed_json: 1 } } });
    t.strictSame(await read(`SELECT k FROM ${from(result.files)}`), [{ k: '1' }, { k: '2' }]);

    const { metadata } = await createTable({ io, location: `${location}__quarantine`, columns: QUARANTINE_COLUMNS });
    const quarantine = {
      schema: currentSchema(metadata),
      folder: `${metadata.location}/data/y`,
      runId: "r'1",
      stream: 's',
    };
    const file = await stager.quarantine({ ...quarantine, rejected: [result.rejected!] });
    const rows = await read(
      `SELECT run_id, stream, reason, position, decode(raw) AS raw FROM ${from([file!])} ORDER BY position`,
    );
    t.strictSame(
      rows,
      [1, 2, 3, 4].map((at) => ({
        run_id: "r'1",
        stream: 's',
        reason: at === 2 ? 'malformed_json' : 'key_missing',
        position: String(10 + at),
        raw: lines[at]!.trimEnd(),
      })),
    );
    t.equal(await stager.quarantine({ ...quarantine, rejected: [] }), undefined);
    t.strictSame(
      (await readdir(join(root, 'scratch'))).filter((name) => name !== 'spill'),
      [],
    );
  });

  t.test(
    'the bytes of a line are kept whatever they are, and a spool with other lines than were written is refused',
    async (t) => {
      const { schema, location } = await table([{ name: 'a', type: 'string' }]);
      const raw = Buffer.from([0x7b, 0xff, 0x00, 0x22, 0x0d]);
      const source = await spool(Buffer.concat([raw, Buffer.from(`\n${line({ a: 'x' })}`)]));
      const request = { source, shape: SHAPE, schema, folder: `${location}/data/x`, runId: 'r', position: 0 };
      const result = await stager.copy({ ...request, lines: 2 });
      const kept = JSON.parse((await readFile(result.rejected!.path, 'utf8')).trim()) as {
        raw: string;
        reason: string;
      };
      t.strictSame(Buffer.from(kept.raw, 'base64'), raw);
      t.equal(kept.reason, 'invalid_utf8');
      await rm(result.rejected!.path);
      const clean = await spool(line({ a: 'x' }));
      for (const [of, lines] of [
        [source, 3],
        [clean, 2],
      ] as const) {
        await t.rejects(stager.copy({ ...request, source: of, folder: `${location}/data/${lines}`, lines }), {
          code: 'lines_lost',
        });
      }
      const left = await readdir(join(localPath(location), 'data'), { recursive: true });
      t.strictSame(
        left.filter((name) => name.includes('/')).map((name) => name.split('/')[0]),
        ['x'],
        'no file is left',
      );
      const empty = await stager.copy({ ...request, source: await spool(''), folder: `${location}/data/z`, lines: 0 });
      t.match(empty, { rows: 0, files: [], checksum: 'duckdb-hash64-v1:0000000000000000', unknown: [] });
    },
  );

  t.test('members that no column holds are named with a type that takes their values', async (t) => {
    const { schema, location } = await table([{ name: 'a', type: 'long' }]);
    const more = [
      { b: true, i: 1, n: 1, big: 1, s: 'x', o: {}, z: null, mixed: 1 },
      { i: -5, n: 1.5, s: '1', o: [1], mixed: 'x', 'odd "name".': 1 },
    ];
    const text = more
      .map((data) => line(data))
      .join('')
      .replace('"big":1', '"big":12345678901234567890');
    const copy = async (source: string) =>
      stager.copy({
        source,
        shape: SHAPE,
        schema,
        folder: `${location}/data/${randomUUID()}`,
        runId: 'r',
        position: 0,
      });
    const wanted = new Map<string, ColumnType>([
      ['b', 'boolean'],
      ['big', 'decimal(38, 0)'],
      ['i', 'long'],
      ['mixed', 'string'],
      ['n', 'double'],
      ['o', 'string'],
      ['odd "name".', 'long'],
      ['s', 'string'],
    ]);
    for (const source of [await spool(text), await spool(`${text}nonsense\n`)]) {
      const result = await copy(source);
      t.strictSame(new Map(result.unknown.map(({ name, type }) => [name, type])), wanted);
      t.equal(result.rowsWithExtra, 2);
      if (result.rejected) await rm(result.rejected.path);
    }
  });
});
