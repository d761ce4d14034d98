import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildRegistry } from '@weir/kernel';
import { LakehouseError, type LakehouseErrorCode, type RewriteResult } from '@weir/lakehouse';
import { boundedChild, ChildFailed } from '@weir/processes';
import type { WorkFolders } from '@weir/work';
import type { RewriteQuestion } from '../model/rewrite-question.ts';
import type { TableDeps } from '../store/table-store.ts';
import type { CompactionDeps } from './compact.ts';

const PROGRAM = fileURLToPath(new URL(`../child/rewrite-child${extname(import.meta.url)}`, import.meta.url));
const MAX_HEAP_MIB = 256;
/** What the program holds beside DuckDB. */
const PROGRAM_MIB = 256;
/** A bin is a quarter of a gigabyte: what takes so long hangs. */
const DEADLINE_MS = 2 * 3_600_000;

/** Codes of bounds in the words of the lakehouse. */
const BOUNDS: Readonly<Record<string, LakehouseErrorCode>> = {
  deadline: 'query_deadline',
  process_lost: 'stage_failed',
};

/** Rewrites bins, each in a process of its own that has so much memory. */
export function rewriteProcess(
  { store }: Pick<TableDeps, 'store'>,
  { children, folders, memoryMiB }: { children: ChildRegistry; folders: WorkFolders; memoryMiB: number },
): CompactionDeps['rewrite'] {
  return async (request, signal) => {
    const scratch = await folders.make(`rewrite-${randomUUID()}`);
    const question: RewriteQuestion = { store, scratch, memoryLimit: `${memoryMiB}MiB`, request };
    try {
      const program = { file: PROGRAM, maxHeapMiB: MAX_HEAP_MIB, memoryMiB: memoryMiB + 2 * PROGRAM_MIB };
      const noted = {
        started: (pid: number) => children.started({ name: 'rewrite', pid, parent: process.pid }),
        ended: (pid: number) => children.ended(pid),
      };
      return (await boundedChild({ ...program, ...noted, deadlineMs: DEADLINE_MS, signal }, question)) as RewriteResult;
    } catch (error) {
      if (!(error instanceof ChildFailed)) throw error;
      signal.throwIfAborted();
      const code = BOUNDS[error.code] ?? (error.code as LakehouseErrorCode);
      throw new LakehouseError(code, 'The process of a rewrite failed');
    } finally {
      await folders.remove(scratch);
    }
  };
}
