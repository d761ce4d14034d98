import type { SourceRow } from '../source/entity.ts';
import type { StreamRow } from './entity.ts';

/** The pattern whose connector names the file of each row. */
const FILES_PATTERN = 'files';

/** Whether the rows of a stream name their files: its connector says that it reads files, or the stream was described by hand. */
export function isOfFiles(
  { patternId }: Pick<SourceRow, 'patternId'>,
  { discovered }: Pick<StreamRow, 'discovered'>,
): boolean {
  return discovered.is_file_based === true || patternId === FILES_PATTERN;
}

/** Which columns of the platform's own its table has. */
export const columnKind = ({ writeMode }: Pick<StreamRow, 'writeMode'>) =>
  writeMode === 'soft_delete' ? 'soft_delete' : 'plain';
