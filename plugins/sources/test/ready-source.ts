import type { Input } from '@weir/kernel/contract';
import { createSource } from '../src/contract.ts';
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
