import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from '@weir/kernel/contract';
import { getMe } from '@weir/plugin-identity/contract';
import type { CliContext } from '../command/command.ts';
import { endpointsOf } from '../command/endpoint-flags.ts';
import { type Api, openApi } from '../connection/api.ts';
import { findConnection } from '../connection/find-connection.ts';
import { profilesFile, readProfiles } from '../connection/profiles.ts';
import { CONTRACTS } from '../contracts.ts';
import type { Names } from './complete.ts';

/** A server that has not answered by then is taken for absent: a key was pressed, and a person waits. */
const ANSWER_MS = 1_000;
const AT_MOST = 200;
/** Nothing that could move the cursor or end a line of a shell. */
const UNPRINTABLE = /\p{C}/u;

/**
 * Names for completion: of profiles from their file, of all else from the API as the typed line would call it. Empty
 * without an answer in a second. Nothing is kept, so no name of one tenant is ever offered in another.
 */
export const namedThings =
  (context: CliContext): Names =>
  async (argument, flags, begun) => {
    try {
      if (argument === 'profile') return Object.keys((await readProfiles(profilesFile(context.env))).profiles);
      const api = await apiOf(context, flags);
      const found = api === undefined ? [] : await namesOf(api, argument, begun);
      return found.filter((name) => !UNPRINTABLE.test(name));
    } catch {
      return [];
    }
  };

/** The API of the typed line; a session is used as it is, since renewing it would wait for another server. */
async function apiOf({ env, cwd, root, interrupted }: CliContext, flags: ReadonlyMap<string, string>) {
  const given = ['url', 'tenant', 'profile'].flatMap((name) => {
    const value = flags.get(`--${name}`);
    return value === undefined ? [] : [[name, value]];
  });
  const found = await findConnection(Object.fromEntries(given), { env, cwd, devFolder: `${root}/.weir` });
  // A file that came with a folder names this address; a token of the environment goes there by a command alone.
  if (found.urlOfProject === true && found.tokenFrom === 'environment') return undefined;
  return openApi(found, { interrupted, timeoutMs: ANSWER_MS });
}

async function namesOf(api: Api, argument: string, begun: string): Promise<string[]> {
  if (argument === 'tenant') return (await api.call(getMe, {})).tenants.map(({ alias }) => alias);
  const found = listOf(argument);
  if (found === undefined) return [];
  const { list, member } = found;
  const table = list.query?.properties?.search === undefined ? '' : begun.split('.').slice(2).join('.');
  const query = { limit: AT_MOST, ...(table === '' ? undefined : { search: table }) };
  const page = (await api.call(list, { query } as object)) as unknown as { items: Record<string, unknown>[] };
  return page.items.map((item) => String(item[member]));
}

/**
 * The list of what an argument is, with the member that a person types: a name that the list can be asked for, else an
 * id that is no UUID. `/sources/:source_id` is looked for at its own path, `source_id` in every list of such things.
 */
function listOf(argument: string): { list: Endpoint; member: string } | undefined {
  const [above = '', own] = argument.split('/:');
  const id = own ?? argument;
  for (const list of CONTRACTS.flatMap(endpointsOf)) {
    const items = (list.response as TSchema | undefined)?.properties?.items?.items as TSchema | undefined;
    const isList = list.method === 'GET' && (own === undefined ? !list.path.includes(':') : list.path === above);
    const properties = (items?.properties ?? {}) as Record<string, TSchema>;
    if (!isList || Object.keys(properties)[0] !== id) continue;
    if (list.query?.properties?.name !== undefined && properties.name !== undefined) return { list, member: 'name' };
    if (properties[id]?.format !== 'uuid') return { list, member: id };
  }
  return undefined;
}
