import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Look } from '../look.ts';
import type { Place } from '../proof.ts';
import { avroBlocks } from './avro-blocks.ts';
import { filesBelow, lookThroughFolder } from './files.ts';

const PARQUET = /\.parquet$/;
const AVRO = /\.avro$/;

/** Tables as files: as they are, and what their compressed parts hold. */
export const warehouse: Place = {
  name: 'warehouse',
  about: 'every file of the tables and of quarantine, Parquet and Avro unpacked; records are data and are not changed',
  // A drive syncs a source that says it as rows (`controlRows`).
  leak: async () => undefined,
  async lookAfter({ platform }, look) {
    const { warehouse: folder, root } = platform.folder;
    await lookThroughFolder(look, folder, 'warehouse');
    const files = filesBelow(folder);
    for (const file of files.filter((one) => AVRO.test(one)))
      await look.chunks(`warehouse/${file}, unpacked`, await avroBlocks(join(folder, file)));
    await lookThroughRows(look, { folder, files: files.filter((one) => PARQUET.test(one)), scratch: root });
  },
};

async function lookThroughRows(look: Look, given: { folder: string; files: string[]; scratch: string }): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const text = join(given.scratch, 'rows.csv');
  const quoted = (path: string) => `'${path.replaceAll("'", "''")}'`;
  try {
    for (const file of given.files) {
      const rows = `select * from read_parquet(${quoted(join(given.folder, file))})`;
      await connection.run(`copy (${rows}) to ${quoted(text)} (format csv)`);
      await look.file(`warehouse/${file}, its rows`, text);
      await unlink(text);
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
