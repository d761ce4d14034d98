import { TENANT_ROLES } from '@weir/kernel/contract';
import {
  createApiToken,
  DEFAULT_TOKEN_DAYS,
  getApiToken,
  listApiTokens,
  MAX_TOKEN_DAYS,
  revokeApiToken,
} from '@weir/plugin-identity/contract';
import { Command, Option } from 'clipanion';
import * as t from 'typanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { endpointCommand } from '../../command/endpoint-command.ts';
import type { Api } from '../../connection/api.ts';
import { exitCode } from '../../exit-codes.ts';
import { isId } from '../../is-id.ts';

const COLUMNS = ['api_token_id', 'name', 'role', 'effective_role', 'created_by', 'expires_at', 'last_used_at'];

export const ApiTokensList = endpointCommand(listApiTokens, { columns: COLUMNS });
export const ApiTokensGet = endpointCommand(getApiToken, { resolve: { api_token_id: tokenId } });
export const ApiTokensRevoke = endpointCommand(revokeApiToken, { resolve: { api_token_id: tokenId } });

/** The id of a token that was given by id or by name; admins see tokens of others, whose names may be the same. */
async function tokenId(api: Api, given: string): Promise<string> {
  if (isId(given)) return given;
  const [named, other] = (await api.call(listApiTokens, { query: { name: given, limit: 2 } })).items;
  const hint = 'weir api-tokens list shows names and ids.';
  if (named === undefined) throw new CliError('notFound', `There is no token ${given}.`, { code: 'not_found', hint });
  if (other !== undefined) throw new CliError('usage', `More than one token has the name ${given}.`, { hint });
  return named.api_token_id;
}

/** Makes an API token; the only time that its text is told. */
export class ApiTokensCreate extends WeirCommand {
  static override paths = [['api-tokens', 'create']];
  static override usage = Command.Usage({
    category: 'Api-tokens',
    description: createApiToken.summary,
    details:
      'Give the token to a program as WEIR_TOKEN or WEIR_TOKEN_FILE. Whoever has it acts as you, up to its role.',
    examples: [
      ['A token for a pipeline that starts syncs', 'weir api-tokens create --name ci --role pipeline_editor'],
      [
        'Its text alone, into a file',
        '(umask 077; weir api-tokens create --name ci --role viewer --query token -o yaml > token)',
      ],
    ],
  });

  name = Option.String('--name', { description: 'Name of the token, unique among yours', required: true });
  role = Option.String('--role', {
    description: `At most your own (${TENANT_ROLES.join(' | ')})`,
    required: true,
    validator: t.isEnum([...TENANT_ROLES]),
  });
  days = Option.String('--days', String(DEFAULT_TOKEN_DAYS), {
    description: `Days until it expires, at most ${MAX_TOKEN_DAYS}`,
    validator: t.isNumber(),
  });

  async execute(): Promise<number> {
    const api = await this.api();
    const body = { name: this.name, role: this.role, expires_in_days: this.days };
    await this.show(await api.call(createApiToken, { body }));
    this.note('the token is shown this one time; keep it where secrets are kept');
    return exitCode('ok');
  }
}
