import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { getReplay, startReplay, updateStream } from '../src/contract.ts';
import { type Api, discovered, filesSource, ok, streamsOf, type TestPlatform, until } from './platform.ts';

/** The dataset of the people. */
export const DATASET = 'bronze.demo.shop__people';
export const params = { dataset_id: DATASET };

/** A source of one file of people, merged by their ids. */
export async function people(platform: TestPlatform, api: Api, csv: string) {
  const data = join(platform.folder, 'data');
  await mkdir(data);
  const write = (text: string) => writeFile(join(data, 'people.csv'), text);
  await write(csv);
  const { source_id } = await filesSource(api, 'shop', data);
  await platform.startWorker();
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  const stream_id = (await streamsOf(api, source_id)).get('people')?.stream_id ?? '';
  const set = async (body: object) => ok(await api(updateStream, { params: { source_id, stream_id }, body }));
  return { source_id, stream_id, write, set };
}

/** Replays lines of the people, and waits for the end. */
export async function replayed(api: Api, body: object) {
  const { run_id } = ok(await api(startReplay, { body: { dataset_id: DATASET, ...body } }));
  return until('a replay', async () => {
    const run = ok(await api(getReplay, { params: { replay_run_id: run_id } }));
    return run.is_terminal ? run : undefined;
  });
}

/** The people that are rows, by name. */
export async function rowsOf(api: Api): Promise<unknown[][]> {
  return ok(await api(previewDataset, { params, query: { columns: 'id,name', order: 'name' } })).rows;
}
