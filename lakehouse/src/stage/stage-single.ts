import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LakehouseError } from '../error/error.ts';
import type { StagedFile } from '../manifest/stats.ts';
import type { TableSchema } from '../schema/types.ts';
import { localPath } from '../store/fileio.ts';
import type { LineShape } from './stage-sql.ts';
import type { CopyRequest, CopyResult } from './stage-types.ts';

/** A copy into one local data file of a given name. */
export type StageRequest = {
  /** The path of a spool of JSON lines, one row each. */
  readonly source: string;
  readonly shape: LineShape;
  /** The table's schema, meta columns included; columns that a line lacks become NULL. */
  readonly schema: TableSchema;
  /** Names of text columns that hold JSON objects and lists. */
  readonly json?: readonly string[];
  /** The location of the data file to make; it must not exist. */
  readonly target: string;
  readonly runId: string;
};

export type StageResult = Pick<CopyResult, 'rows' | 'rowsWithErrors' | 'rowsWithExtra'> & {
  /** The written file; undefined when the spool had no row, and then no file is left. */
  readonly file: StagedFile | undefined;
};

/** Types a spool into one local file; a spool with a line that is no row is refused whole as `malformed_lines`. */
export async function copySingle(
  copy: (request: CopyRequest) => Promise<CopyResult>,
  { target, ...request }: StageRequest,
): Promise<StageResult> {
  const path = localPath(target);
  const folder = `${path}.parts`;
  try {
    const result = await copy({ ...request, folder, position: 0 });
    const { rows, rowsWithErrors, rowsWithExtra, files, rejected } = result;
    if (rejected) {
      await rm(rejected.path, { force: true });
      throw new LakehouseError('malformed_lines', 'The spool has lines that are no rows');
    }
    const [file] = files;
    if (files.length > 1) throw new LakehouseError('stage_failed', 'A spool is too large for one file');
    if (file) {
      await mkdir(dirname(path), { recursive: true });
      await rename(localPath(file.location), path);
    }
    return { rows, rowsWithErrors, rowsWithExtra, file: file && { ...file, location: target } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
