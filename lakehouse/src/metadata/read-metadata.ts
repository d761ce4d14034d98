import { gunzipSync } from 'node:zlib';
import { LakehouseError } from '../error/error.ts';
import type { FileIO } from '../store/fileio.ts';
import { tableFiles } from '../store/table-files.ts';
import type { TableMetadata } from './metadata.ts';
import { parseExact } from './metadata-json.ts';
import { completeMetadata } from './metadata-versions.ts';

/** The most that a packed metadata file may hold. */
const MAX_METADATA_BYTES = 512 * 1024 * 1024;

/**
 * Reads a metadata file, gzip included; `metadata_invalid` when it is none of format version 1 or 2, `file_outside_table`
 * when it lies elsewhere than the table that it is of. What version 1 says in other members, or not at all, stands in those
 * of version 2.
 */
export async function readMetadata(io: FileIO, location: string): Promise<TableMetadata> {
  const bytes = await io.read(location);
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let read: unknown;
  try {
    const text = (zipped ? gunzipSync(bytes, { maxOutputLength: MAX_METADATA_BYTES }) : bytes).toString('utf8');
    read = parseExact(text);
  } catch (error) {
    throw new LakehouseError('metadata_invalid', 'A table metadata file is not readable', { cause: error });
  }
  const metadata = completeMetadata(read);
  tableFiles(io, metadata).assertInside(location);
  return metadata;
}
