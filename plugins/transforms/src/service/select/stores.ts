import {
  type FileIO,
  LakehouseError,
  type LiveFile,
  openStore,
  type PinnedRows,
  type StoreOptions,
  tableFiles,
} from '@weir/plugin-datasets/stage';
import { inParallel } from '@weir/work';

/** The files that are read of a table, and its facts. */
export type ReadRows = {
  readonly files: readonly Pick<LiveFile, 'location' | 'deletes'>[];
  readonly table: PinnedRows['table'];
};

/** What is held of an input while its files are read. */
export interface LocalFiles {
  /** Local paths by location. */
  paths: ReadonlyMap<string, string>;
  release(): void;
}

export type SelectStores = ReturnType<typeof selectStores>;

/** The stores of tables, each opened once. */
export function selectStores() {
  const opened = new Map<string, ReturnType<typeof openStore>>();
  return {
    /** The store that these options open; they may hold credentials. */
    of(options: object): FileIO {
      const key = JSON.stringify(options);
      const store = opened.get(key) ?? openStore(options as StoreOptions);
      opened.set(key, store);
      return store;
    },
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map((store) => store.close()));
    },
  };
}

/** Brings the files of inputs to this machine, and keeps them there until they are released. */
export async function localFiles(inputs: readonly { io: FileIO; rows: ReadRows }[]): Promise<LocalFiles> {
  const held: { release(): void }[] = [];
  const paths = new Map<string, string>();
  const release = () => {
    for (const one of held.splice(0)) one.release();
  };
  const wanted = inputs.flatMap(({ io, rows }) => {
    const files = rows.files.flatMap((file) => [file, ...file.deletes]);
    const { location: place } = rows.table;
    // A plan that an earlier release has pinned names no folder; its files were found in it all the same.
    const table = place === undefined ? io : tableFiles(io, { location: place });
    return [...new Set(files.map(({ location }) => location))].map((location) => ({ table, location }));
  });
  try {
    await inParallel(wanted, async ({ table, location }) => {
      const file = await table.materialize(location);
      held.push(file);
      paths.set(location, file.path);
    });
    return { paths, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The code of what the table library throws. */
export const storeCode = (error: unknown): string => (error instanceof LakehouseError ? error.code : 'stage_failed');
