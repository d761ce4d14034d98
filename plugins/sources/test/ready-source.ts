import type { Input } from '@weir/kernel/contract';
import { createSource, createStream } from '../src/contract.ts';
import { type Api, discovered, enableAll, ok } from './platform.ts';

/** Creates a source, discovers it, which must succeed, and enables every stream of it; its id. */
export async function readySource(
  api: Api,
  body: Input<typeof createSource>['body'],
  modes: Parameters<typeof enableAll>[2],
): Promise<string> {
  const { source_id } = ok(await api(createSource, { body }));
  const { status, failure } = await discovered(api, source_id);
  if (status !== 'succeeded') throw new Error(`the discovery of ${body.name} ${status}: ${failure?.code}`);
  await enableAll(api, source_id, modes);
  return source_id;
}

/** Creates a source with one enabled stream that is described, not discovered, which takes no run; its id. */
export async function describedSource(
  api: Api,
  body: Input<typeof createSource>['body'],
  { properties, ...stream }: Omit<Input<typeof createStream>['body'], 'schema'> & { properties: object },
): Promise<string> {
  const { source_id } = ok(await api(createSource, { body }));
  const described: Input<typeof createStream>['body'] = {
    ...{ schema: { type: 'object', properties }, supported_sync_modes: ['full_refresh', 'incremental'] },
    ...{ source_defined_cursor: true, enabled: true, ...stream },
  };
  ok(await api(createStream, { params: { source_id }, body: described }));
  return source_id;
}
