import type { SourceRow } from './scenario.ts';

/** A row as it lies in a file: of the source, and who put it there. */
export interface StoredRow extends SourceRow {
  readonly run: string;
  /** Whether the file has a column for the member that came later. */
  readonly hasColumn: boolean;
}

export interface SimFile {
  readonly kind: 'rows' | 'quarantine' | 'metadata';
  readonly rows: readonly StoredRow[];
}

export interface Snapshot {
  readonly id: string;
  readonly parent: string | null;
  /** Undefined for another writer. */
  readonly commitId: string | undefined;
  readonly stream: string | undefined;
  readonly attempt: number;
  readonly added: readonly string[];
  /** Every file that the table holds then. */
  readonly live: readonly string[];
}

/** A table as one metadata file tells it; snapshots oldest first. */
export interface Metadata {
  readonly location: string;
  readonly snapshots: readonly Snapshot[];
}

export interface Checkpoint {
  readonly state: number | undefined;
  readonly batch: number;
  readonly rejected: number;
  readonly isWhole: boolean;
  readonly run: string;
}

/** A commit that was begun where checkpoints are stored apart: enough to bring it to its end. */
export interface Pending<Request> {
  readonly streams: readonly string[];
  readonly request: Request;
}

/** Everything that outlives a process. */
export interface World<Request> {
  readonly files: Map<string, SimFile>;
  /** Everything that was removed, to tell that none of it is missed. */
  readonly removed: Set<string>;
  readonly tables: Map<string, Metadata>;
  /** Metadata and manifests that a pointer was moved to. */
  readonly kept: Set<string>;
  readonly ledger: Set<string>;
  readonly checkpoints: Map<string, Checkpoint>;
  readonly pending: Map<string, Pending<Request>>;
  readonly evolved: Set<string>;
  /** Foreign rows by table, ever added. */
  readonly foreign: Map<string, string[]>;
  readonly runs: Map<string, { epoch: number; isOpen: boolean; hasSucceeded: boolean }>;
  ids: number;
}

export function newWorld<Request>(streams: readonly { id: string }[]): World<Request> {
  const tables = new Map<string, Metadata>();
  const files = new Map<string, SimFile>();
  for (const name of streams.flatMap(({ id }) => [id, quarantineOf(id)])) {
    const location = `${name}/metadata/0`;
    tables.set(name, { location, snapshots: [] });
    files.set(location, { kind: 'metadata', rows: [] });
  }
  return {
    files,
    removed: new Set(),
    tables,
    kept: new Set([...tables.values()].map(({ location }) => location)),
    ledger: new Set(),
    checkpoints: new Map(),
    pending: new Map(),
    evolved: new Set(),
    foreign: new Map(),
    runs: new Map(),
    ids: 0,
  };
}

export function quarantineOf(stream: string): string {
  return `${stream}__quarantine`;
}

export function tableOf<Request>(world: World<Request>, name: string): Metadata {
  const table = world.tables.get(name);
  if (table === undefined) throw new Error(`no table ${name}`);
  return table;
}

export function headOf({ snapshots }: Metadata): Snapshot | undefined {
  return snapshots.at(-1);
}

/** A number that this world never gave before. */
export function nextId<Request>(world: World<Request>): number {
  world.ids += 1;
  return world.ids;
}

/** Whether an attempt is the newest of a run that is open. */
export function holdsLease<Request>(world: World<Request>, run: string, epoch: number): boolean {
  const found = world.runs.get(run);
  return found?.isOpen === true && found.epoch === epoch;
}

/** The rows of the files of a snapshot. */
export function rowsOf<Request>(world: World<Request>, live: readonly string[]): StoredRow[] {
  return live.flatMap((file) => [...(world.files.get(file)?.rows ?? [])]);
}
