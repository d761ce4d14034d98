import { listSources } from '@weir/plugin-sources/contract';
import { CliError } from './cli-error.ts';
import type { Api } from './connection/api.ts';
import { isId } from './is-id.ts';

/** The id of a source that was given by id or by name; a name that no source has is `notFound`. */
export async function sourceId(api: Api, given: string): Promise<string> {
  if (isId(given)) return given;
  const named = await findSource(api, given);
  if (named !== undefined) return named.source_id;
  throw new CliError(
    'notFound',
    `There is no source ${given}${api.tenant === undefined ? '' : ` in tenant ${api.tenant}`}.`,
    {
      code: 'not_found',
      hint: 'weir sources list shows names and ids.',
    },
  );
}

/** The source of this name; undefined when there is none. */
export async function findSource(api: Api, name: string) {
  const page = await api.call(listSources, { query: { name, limit: 1 } });
  return page.items[0];
}
