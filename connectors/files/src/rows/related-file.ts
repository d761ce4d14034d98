import { fault } from '../fault.ts';
import type { Columns } from '../file-reading.ts';
import type { ReadyFile } from '../ready-file.ts';

/** A file without any column of the stream is one of something else, or lacks its header: no name of it may become a column. */
export function assertRelated(file: ReadyFile, names: readonly string[], columns: Columns): void {
  const isRelated = names.some((name) => Object.hasOwn(columns, name));
  if (!isRelated && Object.keys(columns).length > 0) throw fault('schema_changed', file.where());
}
