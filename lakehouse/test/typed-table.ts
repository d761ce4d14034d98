import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { fieldIdsLiteral, identifier, literal, sqlType } from '../src/duckdb/duckdb-sql.ts';
import { createQueryPool, type Field, type LiveFile, type TableSchema } from '../src/index.ts';
import { toDataFile } from '../src/manifest/manifest.ts';
import { type CopyStats, stagedFileFromStats } from '../src/manifest/stats.ts';
import { PATIENT } from './lake.ts';
import { liveFile } from './live-file.ts';

/** A schema of columns of these types, `c1` and so on, with ids that are not their places. */
export const schemaOf = (types: readonly Field['type'][]): TableSchema => ({
  type: 'struct',
  'schema-id': 0,
  fields: types.map((type, at) => ({ id: 100 + at, name: `c${at + 1}`, required: false, type })),
});

/** Writes data files row by row as they are given, values as the SQL text of a constant; with the writer's figures. */
export async function fileWriter(folder: string) {
  const connection: DuckDBConnection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  await connection.run("SET TimeZone = 'UTC'");
  return {
    close: () => connection.closeSync(),
    async write(schema: TableSchema, rows: readonly (readonly (string | null)[])[]): Promise<LiveFile> {
      const casts = schema.fields.map(
        ({ name, type }) => `CAST(${identifier(name)} AS ${sqlType(type)}) AS ${identifier(name)}`,
      );
      const names = schema.fields.map(({ name }) => identifier(name)).join(', ');
      const values = rows.map((row) => `(${row.map((text) => (text === null ? 'NULL' : literal(text))).join(', ')})`);
      const from =
        rows.length > 0
          ? `(VALUES ${values.join(', ')}) AS v(${names})`
          : `(SELECT ${schema.fields.map(({ name }) => `NULL AS ${identifier(name)}`).join(', ')}) WHERE false`;
      const path = `${folder}/${randomUUID()}.parquet`;
      const options = `FORMAT parquet, RETURN_STATS, FIELD_IDS ${fieldIdsLiteral(schema.fields)}`;
      const reader = await connection.runAndReadAll(
        `COPY (SELECT ${casts.join(', ')} FROM ${from}) TO ${literal(path)} (${options})`,
      );
      const stats = reader.getRowObjectsJson()[0] as unknown as CopyStats;
      const {
        null_value_counts: nulls,
        lower_bounds: lower,
        upper_bounds: upper,
      } = toDataFile(stagedFileFromStats(stats, schema));
      const figures = { nulls, lower, upper } as LiveFile['figures'];
      return liveFile({ location: `file://${path}`, recordCount: BigInt(rows.length), figures });
    },
  };
}

export type Teardown = { teardown(work: () => unknown): void };

/** A writer and readers over a folder of their own; all go with the test. */
export async function readingPlace(t: Teardown) {
  const folder = await mkdtemp(join(tmpdir(), 'weir-read-'));
  const writer = await fileWriter(folder);
  const pool = createQueryPool(PATIENT);
  t.teardown(async () => {
    await pool.close();
    writer.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { folder, writer, pool };
}
