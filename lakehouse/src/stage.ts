import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openSession } from './duckdb/duckdb-session.ts';
import { withinDeadline } from './duckdb/within-deadline.ts';
import type { StagedFile } from './manifest/stats.ts';
import { mergeBatch } from './merge/merge.ts';
import { quarantineLines } from './quarantine/quarantine.ts';
import { copySegment } from './segment/stage-segment.ts';
import { copySpool, type Drifting } from './spool/stage-copy.ts';
import { copySingle, type StageRequest, type StageResult } from './stage/stage-single.ts';
import type {
  CopyRequest,
  CopyResult,
  MergeRequest,
  MergeResult,
  QuarantineRequest,
  SegmentRequest,
  StagerOptions,
} from './stage/stage-types.ts';
import { localFileIO } from './store/fileio-local.ts';

/** Options of a stager that only writes single local files. */
export type SingleStagerOptions = Omit<StagerOptions, 'io' | 'scratch'> & { readonly tempDirectory: string };

export type Stager = {
  /**
   * Types one spool of JSON lines into data files below a folder, all in DuckDB: no row becomes a JavaScript value. A
   * value that does not fit its column becomes NULL and an entry in the row's `_errors` (`field`, `change`: `nulled` or
   * `rounded`, `reason`). Lines that are no rows are rejected and every other line is kept with all its digits. Calls on
   * one stager run one after the other. Failures leave no file behind.
   */
  copy(request: CopyRequest): Promise<CopyResult>;
  copy(request: StageRequest): Promise<StageResult>;
  /** Types a Parquet file that someone else wrote, with the same values and marks as `copy` has for lines. */
  segment(request: SegmentRequest): Promise<CopyResult>;
  /** Writes rejected lines as a data file of a quarantine table; undefined when there are none. */
  quarantine(request: QuarantineRequest): Promise<StagedFile | undefined>;
  /** Merges copied files into the rows of a table by key: what a row delta commit adds and removes. */
  merge(request: MergeRequest): Promise<MergeResult>;
  /** Ends DuckDB and frees its memory. */
  close(): void;
};

/** Makes a stager with a DuckDB of its own. */
export async function createStager(options: StagerOptions | SingleStagerOptions): Promise<Stager> {
  const single = 'tempDirectory' in options;
  const scratch = single ? `${options.tempDirectory}-work` : options.scratch;
  const io = single ? localFileIO({ root: '/' }) : options.io;
  const tempDirectory = single ? options.tempDirectory : join(scratch, 'spill');
  await mkdir(dirname(tempDirectory), { recursive: true });
  const session = await openSession({ ...options, tempDirectory });
  const writer = { io, session, scratch };
  const drifting: Drifting = { loose: new Set(), extra: new Set() };

  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const turn = last.then(action, action);
    last = turn.catch(() => undefined);
    return turn;
  };
  const { deadlineMs } = options;
  const inTime = <T>(work: () => Promise<T>): Promise<T> =>
    deadlineMs === undefined ? work() : withinDeadline(session, deadlineMs, work);
  const copy = (request: CopyRequest): Promise<CopyResult> =>
    inTurn(() => copySpool(writer, drifting, undivided(request)));
  return {
    copy: ((request: CopyRequest | StageRequest) =>
      'target' in request ? copySingle(copy, request) : copy(request)) as Stager['copy'],
    segment: (request) => inTurn(() => copySegment(writer, undivided(request))),
    quarantine: (request) => inTurn(() => quarantineLines(writer, request)),
    merge: (request) => inTurn(() => inTime(() => mergeBatch(writer, request))),
    close: session.close,
  };
}

// Rows of one key may lie in several partitions, and there is no order among the files of these.
function undivided<Request extends Pick<CopyRequest, 'spec' | 'ordered'>>(request: Request): Request {
  const { spec: _divides, ...rest } = request;
  return request.ordered ? (rest as Request) : request;
}
