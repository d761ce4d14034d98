import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ChildRegistry } from '@weir/kernel';
import type { PinnedInput } from '@weir/plugin-datasets/contract';
import { openStore, type PinnedRows, type StoreOptions, tableFiles } from '@weir/plugin-datasets/stage';
import { type BoundedProgram, boundedChild, provenBounds } from '@weir/processes';
import { inParallel, type WorkFolders } from '@weir/work';
import type { MapAnswer, MapQuestion } from '../../model/sync/map-question.ts';
import type { MappedLine, Mapping } from '../../model/sync/mapping.ts';
import type { MappedTable } from '../../model/sync/run-sync.ts';

const PROGRAM = fileURLToPath(new URL(`../../child/map-child${extname(import.meta.url)}`, import.meta.url));
const MAX_HEAP_MIB = 256;
/** What the program holds beside DuckDB. */
const PROGRAM_MIB = 256;
/** What a process of a mapping may take. */
export const MAP_MIB = 1_024;
/** Code, stacks of threads and the delay of its own watch. */
const BESIDE_MIB = 1_024;
const MAX_FOLDERS = 32;
const THREADS = 2;
const DEADLINE_MS = 3_600_000;

export interface MapDeps {
  children: ChildRegistry;
  folders: WorkFolders;
}

/** Maps some rows in a bounded process, and has work done with the result. Throws `ChildFailed`. */
export async function withMapped<T>(
  { children, folders }: MapDeps,
  { mapping, pin, rows, signal }: { mapping: Mapping; pin: PinnedInput; rows: object; signal: AbortSignal },
  work: (mapped: MappedTable) => Promise<T>,
): Promise<T> {
  const scratch = await folders.make(`map-${randomUUID()}`);
  const own = join(scratch, 'own');
  const files = await localFiles(pin.store as StoreOptions, rows as PinnedRows);
  const lines = join(own, 'lines.json');
  const question: MapQuestion = {
    mapping,
    rows: rows as PinnedRows,
    paths: files.paths,
    scratch: own,
    lines,
    threads: THREADS,
    memoryLimit: `${MAP_MIB - PROGRAM_MIB}MiB`,
    deadlineMs: DEADLINE_MS,
  };
  try {
    const program = { file: PROGRAM, maxHeapMiB: MAX_HEAP_MIB, memoryMiB: MAP_MIB, deadlineMs: DEADLINE_MS };
    const noted = {
      started: (pid: number) => children.started({ name: 'map', pid, parent: process.pid }),
      ended: (pid: number) => children.ended(pid),
    };
    const within = await withinBounds(scratch, own, files.paths);
    const answer = (await boundedChild({ ...program, ...noted, within, signal }, question)) as MapAnswer;
    return await work({ ...answer, lines: () => linesOf(lines) });
  } finally {
    await files.close();
    await folders.remove(scratch);
  }
}

/** The bounds of the system that hold here: it sees its own folder and those of the table's files. */
async function withinBounds(
  scratch: string,
  own: string,
  paths: ReadonlyMap<string, string>,
): Promise<BoundedProgram['within']> {
  await mkdir(own, { mode: 0o700 });
  const { hasView, processes, uid } = await provenBounds();
  if (!hasView && !processes) return undefined;
  if (uid !== undefined) await chown(own, uid, process.getgid?.() ?? 0);
  const seen = { ...(hasView && { root: join(scratch, 'view') }), ...(uid !== undefined && { uid }) };
  const read = foldersOf([...paths.values()]).map((path) => ({ path }));
  return {
    bounds: { ...seen, dataMiB: MAP_MIB + BESIDE_MIB, canSeal: processes },
    places: [...read, { path: own, writable: true }],
  };
}

/** The folders of files; with too many, folders above them. */
function foldersOf(paths: readonly string[]): string[] {
  let folders = [...new Set(paths.map(dirname))];
  while (folders.length > MAX_FOLDERS) folders = [...new Set(folders.map(dirname))];
  return folders;
}

async function* linesOf(file: string): AsyncIterable<{ line: MappedLine; bytes: number }> {
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }))
    yield { line: JSON.parse(text) as MappedLine, bytes: Buffer.byteLength(text) };
}

/** Brings the files of a table, and of its deletes, to this machine. */
async function localFiles(options: StoreOptions, { files, table }: PinnedRows) {
  const store = openStore(options);
  const io = table.location === undefined ? store : tableFiles(store, { location: table.location });
  const held: { release(): void }[] = [];
  const paths = new Map<string, string>();
  const close = async () => {
    for (const one of held) one.release();
    await store.close();
  };
  const locations = new Set(files.flatMap((file) => [file, ...file.deletes]).map(({ location }) => location));
  try {
    await inParallel([...locations], async (location) => {
      const file = await io.materialize(location);
      held.push(file);
      paths.set(location, file.path);
    });
    return { paths, close };
  } catch (error) {
    await close();
    throw error;
  }
}
