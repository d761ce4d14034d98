import type { FileIO, SelectOnto, TableSchema } from '@weir/plugin-datasets/stage';
import { createScanner, pinnedRows } from '@weir/plugin-datasets/stage';
import { SelectFailed } from '../../model/select/select-errors.ts';
import { storeCode } from './stores.ts';

/** The table that a result goes to, at one metadata file. */
export interface AskedTable extends Pick<SelectOnto, 'replaces' | 'goes'> {
  metadataLocation: string;
  /** The columns of the result under the ids of the table. */
  schema: TableSchema;
}

/** The rows of the table, for a process that reads them. Throws `SelectFailed`. */
export async function tableRows(io: FileIO, { metadataLocation, schema, ...how }: AskedTable): Promise<SelectOnto> {
  const scanner = createScanner({ io });
  try {
    const metadata = await scanner.metadata(metadataLocation);
    return { rows: pinnedRows(metadata, { files: await scanner.files(metadata), schema }), ...how };
  } catch (error) {
    throw new SelectFailed(storeCode(error));
  }
}
