import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestBucket } from '@weir/lakehouse/testing';
import { testPython } from '../python.ts';

const READER = new URL('read_rows.py', import.meta.url).pathname;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** What to read, and how files in an object store are reached. */
export interface Reading {
  readonly locations: readonly string[];
  readonly fields: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
}

/** The rows of tables by the location of their metadata, as a reader finds them that is not ours. */
export async function readRows<Row>(reading: Reading): Promise<Record<string, readonly Row[]>> {
  const python = process.env.WEIR_TEST_PYTHON ?? (await testPython());
  const run = promisify(execFile)(python, [READER], { maxBuffer: MAX_ANSWER_BYTES });
  run.child.stdin?.end(JSON.stringify(reading));
  return JSON.parse((await run).stdout) as Record<string, readonly Row[]>;
}

/** The column `id` of one table in ascending order. */
export async function readIds(location: string, properties: Record<string, string> = {}): Promise<number[]> {
  const rows = await readRows<[number]>({ locations: [location], fields: ['id'], properties });
  return (rows[location] ?? []).flat().sort((a, b) => a - b);
}

/** How that reader reaches an object store. */
export function readerProperties({ endpoint = '', accessKeyId, secretAccessKey }: TestBucket['s3']) {
  const keys = { 's3.access-key-id': accessKeyId, 's3.secret-access-key': secretAccessKey };
  return { 's3.endpoint': endpoint, 's3.region': 'us-east-1', ...keys };
}
