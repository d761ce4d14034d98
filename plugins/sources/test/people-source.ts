import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { previewDataset } from '@weir/plugin-datasets/contract';
import type { Test } from 'tap';
import { until } from '../../../test/until.ts';
import { getReplay, startReplay, updateStream } from '../src/contract.ts';
import { discovered, filesSource, ok, streamsOf } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

/** A discovered source of one file of people, in a tenant of its own, and what a test does with it. */
export async function people(t: Test, csv: string) {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  const write = (text: string) => writeFile(join(data, 'people.csv'), text);
  await write(csv);
  const { source_id } = await filesSource(api, 'shop', data);
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  const stream_id = (await streamsOf(api, source_id)).get('people')?.stream_id ?? '';
  const dataset = platform.bronze('shop__people');
  const params = { dataset_id: dataset };
  return {
    ...{ platform, api, source_id, stream_id, dataset, params, write },
    set: async (body: object) => ok(await api(updateStream, { params: { source_id, stream_id }, body })),
    /** Replays lines of the people, and waits for the end. */
    async replayed(body: object) {
      const { run_id } = ok(await api(startReplay, { body: { dataset_id: dataset, ...body } }));
      return until('a replay', async () => {
        const run = ok(await api(getReplay, { params: { replay_run_id: run_id } }));
        return run.is_terminal && run;
      });
    },
    /** The people that are rows, by name. */
    rows: async (): Promise<unknown[][]> =>
      ok(await api(previewDataset, { params, query: { columns: 'id,name', order: 'name' } })).rows,
  };
}
