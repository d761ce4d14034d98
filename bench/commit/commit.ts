import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createStager, localPath, openStore, type StagedFile, type TableSchema } from '@weir/lakehouse';
import type { PreparedTable } from '@weir/plugin-datasets/contract';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { appendOf, type Lake, withLake } from '../lake.ts';
import { messageChunks } from '../lines/line-file.ts';
import { jsonSchemaOf, LINE_KINDS } from '../lines/line-kinds.ts';
import { percentile } from '../measure/percentile.ts';
import { type IcebergPeer, startIcebergPeer } from '../peers/iceberg-peer.ts';
import { RECORD_SHAPE } from '../record-shape.ts';

/** How many commits a figure is made of, and behind how many snapshots they begin. */
const WINDOW = 100;
const MARKS = [0, 100, 1_000] as const;
const QUICK_MARKS = [0, 20] as const;
const QUICK_WINDOW = 20;
/** PyIceberg takes part in so many: building a table of a thousand snapshots takes it many minutes. */
const PEER_COMMITS = 200;
const ROWS = 1_000;
const MOST_MS = 30;

/**
 * Commits of one file to one table, one after the other, until it has more than a thousand snapshots: checked, written as
 * manifest, manifest list and metadata, and the pointer swapped with the ledger in one transaction of a Postgres that
 * waits for its disk. In turn with each of the first, PyIceberg appends a row to a table of its own on the same server.
 */
export async function commit({ quick }: BenchOptions): Promise<BenchResult> {
  const [marks, window] = quick ? [QUICK_MARKS, QUICK_WINDOW] : [MARKS, WINDOW];
  return withLake({}, async (lake, t) => {
    const peer = await startIcebergPeer(peerPlaces(lake));
    t.teardown(() => peer.stop());
    const times = await commits(lake, peer, (marks.at(-1) ?? 0) + window);
    return {
      suite: 'commit',
      cases: marks.map((mark) => caseOf(mark, times.slice(mark, mark + window), mark === MARKS[2])),
    };
  });
}

type Times = { ours: number; theirs: number | undefined };

async function commits({ tables, tenantOf, run, folder }: Lake, peer: IcebergPeer, count: number): Promise<Times[]> {
  const ref = tables.bronze(tenantOf, 'people');
  const prepared = await tables.prepare(tenantOf, ref, jsonSchemaOf(LINE_KINDS.narrow));
  const template = await stagedOnce(prepared, folder, run.runId);
  const times: Times[] = [];
  for (let batch = 1; batch <= count; batch += 1) {
    const location = `${prepared.dataLocation}/part-${batch}.parquet`;
    await copyFile(localPath(template.location), localPath(location));
    await tables.recordStaged(tenantOf, run.runId, [{ ref, location, isFolder: false }]);
    const files = [{ ...template, location }];
    const begun = performance.now();
    await tables.commit(tenantOf, { ...run, tables: [appendOf(ref, files, batch)], checkpoints: [] });
    const ours = performance.now() - begun;
    const theirs = batch > PEER_COMMITS ? undefined : (await peer.act({ action: 'append', id: batch })).ms;
    times.push({ ours, theirs });
  }
  return times;
}

/** One data file of a thousand rows, whose copies are committed. */
async function stagedOnce(prepared: PreparedTable, folder: string, runId: string): Promise<StagedFile> {
  const source = path.join(folder, 'rows.ndjson');
  const lines = [...messageChunks(LINE_KINDS.narrow, ROWS)].join('').split('\n');
  await writeFile(
    source,
    lines.filter((line) => line.startsWith('{"type":"RECORD"')).map((line) => `${line}\n`),
  );
  const io = openStore({ warehouse: path.join(folder, 'warehouse'), scratch: path.join(folder, 'copies') });
  await mkdir(localPath(prepared.dataLocation), { recursive: true });
  const stager = await createStager({ io, scratch: path.join(folder, 'scratch') });
  try {
    const schema = prepared.schema as TableSchema;
    const target = { folder: `${prepared.dataLocation}/template`, runId, position: 0 };
    const { files } = await stager.copy({ source, shape: RECORD_SHAPE, schema, ...target });
    const [file] = files;
    if (file === undefined) throw new Error('nothing was staged');
    return file;
  } finally {
    stager.close();
  }
}

function caseOf(mark: number, times: readonly Times[], last: boolean): BenchCase {
  const own = times.map(({ ours }) => ours);
  const other = times.flatMap(({ theirs }) => theirs ?? []);
  return {
    case: `commit_at_${mark === 0 ? 1 : mark}_snapshots`,
    note: 'One file is committed with the ledger in one transaction (disk waited for); PyIceberg appends one row, its file included, up to 200 snapshots.',
    marks_ms: {
      p50: percentile(own, 0.5),
      p95: percentile(own, 0.95),
      ...(other.length > 0
        ? { 'p50 pyiceberg': percentile(other, 0.5), 'p95 pyiceberg': percentile(other, 0.95) }
        : {}),
    },
    ...(other.length > 0 ? { ratio: percentile(other, 0.5) / percentile(own, 0.5) } : {}),
    ...(last ? { bars: [{ figure: 'p95', most: MOST_MS }] } : {}),
    runs: times.length,
  };
}

function peerPlaces({ postgresUrl, folder }: Lake) {
  return {
    catalog: postgresUrl.replace(/^postgres(ql)?:/, 'postgresql+psycopg2:'),
    warehouse: path.join(folder, 'pyiceberg'),
  };
}
