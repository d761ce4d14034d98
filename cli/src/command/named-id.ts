import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from '@weir/kernel/contract';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';
import { isId } from '../is-id.ts';
import { cliOf } from './cli-of.ts';

/** The list of what a path parameter names, where it can be asked for one by name: `/sources` for `source_id`. */
export function listOfNamed(path: string, param: string, contract: readonly Endpoint[]): Endpoint | undefined {
  const above = path.slice(0, path.indexOf(`/:${param}`));
  return contract.find(({ method, path: own, query, response }) => {
    if (method !== 'GET' || own !== above || own.includes(':')) return false;
    const item = (response as TSchema | undefined)?.properties?.items?.items as TSchema | undefined;
    return query?.properties?.name !== undefined && item?.properties?.[param] !== undefined;
  });
}

/** The id of a thing that was given by id or by name; a name that nothing has is `notFound`. */
export async function idOf(api: Api, list: Endpoint, param: string, given: string): Promise<string> {
  if (isId(given)) return given;
  const page = (await api.call(list, { query: { name: given, limit: 2 } } as object)) as unknown as {
    items: Record<string, unknown>[];
  };
  const [named, other] = page.items;
  const noun = param.replace(/_id$/, '').replaceAll('_', ' ');
  const hint = `weir ${cliOf(list)?.words ?? `api GET ${list.path}`} shows names and ids.`;
  if (other !== undefined) throw new CliError('usage', `More than one ${noun} has the name ${given}.`, { hint });
  if (named !== undefined) return String(named[param]);
  const where = api.tenant === undefined ? '' : ` in tenant ${api.tenant}`;
  throw new CliError('notFound', `There is no ${noun} ${given}${where}.`, { code: 'not_found', hint });
}
