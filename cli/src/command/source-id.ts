import { getSource, listSources } from '@weir/plugin-sources/contract';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';
import { isId } from '../is-id.ts';
import { idOf } from './named-id.ts';

/** The id of a source that was given by id or by name; a name that no source has is `notFound`. */
export const sourceId = (api: Api, given: string): Promise<string> => idOf(api, listSources, 'source_id', given);

/** The same of a source that must be there before anything is begun: an id that no source has is `notFound` too. */
export async function knownSourceId(api: Api, given: string): Promise<string> {
  const id = await sourceId(api, given);
  if (!isId(given)) return id;
  await api.call(getSource, { params: { source_id: id } }).catch((error: unknown) => {
    throw error instanceof CliError && error.exit === 'notFound' ? noSource(api, given, error) : error;
  });
  return id;
}

function noSource({ tenant }: Api, given: string, cause?: Error): CliError {
  const where = tenant === undefined ? '' : ` in tenant ${tenant}`;
  const hint = 'weir sources list shows names and ids.';
  return new CliError('notFound', `There is no source ${given}${where}.`, { code: 'not_found', hint, cause });
}

/** The source of this name; undefined when there is none. */
export async function findSource(api: Api, name: string) {
  const page = await api.call(listSources, { query: { name, limit: 1 } });
  return page.items[0];
}
