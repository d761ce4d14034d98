import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  createStager,
  createTable,
  jsonSchemaToColumns,
  localFileIO,
  localPath,
  prepareAppend,
  type StagedFile,
  type TableSchema,
  withMetaColumns,
} from '@weir/lakehouse';
import { BENCH_FOLDER, freshFolder, lineFile } from '../lines/line-file.ts';
import { jsonSchemaOf, LINE_KINDS } from '../lines/line-kinds.ts';
import { RECORD_SHAPE } from '../record-shape.ts';

const RUN_ID = '0192f0c1-0000-7000-8000-000000000001';

/** One data file of so many rows of people, below a folder of the table. */
export async function stagedPeople(
  { folder, schema, dataLocation }: { folder: string; schema: TableSchema; dataLocation: string },
  rows: number,
): Promise<StagedFile> {
  const lines = (await readFile(await lineFile('narrow', rows), 'utf8')).split('\n');
  const source = path.join(folder, 'rows.ndjson');
  const records = lines.filter((line) => line.startsWith('{"type":"RECORD"'));
  await writeFile(source, records.map((line) => `${line}\n`).join(''));
  const stager = await createStager({ io: localFileIO({ root: '/' }), scratch: path.join(folder, 'scratch') });
  try {
    const place = { folder: `${dataLocation}/template`, runId: RUN_ID, position: 0 };
    const { files } = await stager.copy({ source, shape: RECORD_SHAPE, schema, ...place });
    const [file] = files;
    if (file === undefined) throw new Error('nothing was staged');
    return file;
  } finally {
    stager.close();
  }
}

/** Copies of a staged file, each as one that was staged by itself. */
export async function copiesOf(
  file: StagedFile,
  dataLocation: string,
  names: readonly string[],
): Promise<StagedFile[]> {
  await mkdir(localPath(dataLocation), { recursive: true });
  const copies = names.map((name) => ({ ...file, location: `${dataLocation}/${name}.parquet` }));
  for (const { location } of copies) await copyFile(localPath(file.location), localPath(location));
  return copies;
}

/** A table without a catalog, of so many small files. */
export async function tableOfSmallFiles({ count, rows }: { count: number; rows: number }) {
  const folder = await freshFolder('small-files');
  const io = localFileIO({ root: BENCH_FOLDER });
  const columns = withMetaColumns(jsonSchemaToColumns(jsonSchemaOf(LINE_KINDS.narrow)));
  const made = await createTable({ io, location: `file://${folder}/warehouse/people`, columns });
  const dataLocation = `${made.metadata.location}/data`;
  const [schema] = made.metadata.schemas;
  if (schema === undefined) throw new Error('a table without a schema');
  const file = await stagedPeople({ folder, schema, dataLocation }, rows);
  const names = Array.from({ length: count }, (_, at) => `part-${at}`);
  const files = await copiesOf(file, dataLocation, names);
  const { newMetadataLocation } = await prepareAppend({ io, ...made, files });
  return {
    folder,
    warehouse: `${folder}/warehouse`,
    metadataLocation: newMetadataLocation,
    paths: files.map(({ location }) => localPath(location)),
    bytes: files.reduce((sum, one) => sum + Number(one.file_size_in_bytes), 0),
  };
}
