import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bulkStreams, createStream } from '../src/contract.ts';
import { type Api, filesSource } from './platform.ts';

/** The id of nothing. */
export const ABSENT = '01900000-0000-7000-8000-000000000000';
/** The schema of a record with a number and a time. */
export const schema = { type: 'object', properties: { id: { type: 'integer' }, at: { type: 'string' } } };
export const BOTH: ('full_refresh' | 'incremental')[] = ['full_refresh', 'incremental'];

/** Makes sources over an empty folder, each with calls on its streams. */
export async function sourceMaker(platform: { folder: string }, api: Api) {
  const data = join(platform.folder, 'data');
  await mkdir(data);
  let made = 0;
  return async () => {
    const { source_id, name } = await filesSource(api, `source${++made}`, data);
    const params = { source_id };
    return {
      ...{ source_id, name, params },
      create: (body: object) => api(createStream, { params, body: { name: 'orders', schema, ...body } }),
      bulk: (streams: object[]) => api(bulkStreams, { params, body: { streams: streams as never } }),
    };
  };
}
export type StreamSource = Awaited<ReturnType<Awaited<ReturnType<typeof sourceMaker>>>>;
