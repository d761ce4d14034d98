import { getSource, listSources } from '@weir/plugin-sources/contract';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';
import { isId } from '../is-id.ts';

/** The id of a source that was given by id or by name; a name that no source has is `notFound`. */
export async function sourceId(api: Api, given: string): Promise<string> {
  if (isId(given)) return given;
  const named = await findSource(api, given);
  if (named === undefined) throw noSource(api, given);
  return named.source_id;
}

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
