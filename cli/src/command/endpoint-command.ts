import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from '@weir/kernel/contract';
import { Command, type CommandClass, Option } from 'clipanion';
import type { Api } from '../connection/api.ts';
import { type CliContext, type Shown, WeirCommand } from './command.ts';
import { confirm } from './confirm.ts';

/** What a generated command adds to its endpoint. */
export interface EndpointCommandOptions extends Shown {
  /** Turns what was typed for a path parameter into what the path takes, such as a name into an id. */
  resolve?: Record<string, (api: Api, given: string) => Promise<string>>;
}

type Properties = Record<string, TSchema>;

const PARAM = 'param:';
const QUERY = 'query:';

const propertiesOf = (schema: TSchema | undefined): Properties => (schema?.properties ?? {}) as Properties;

/**
 * The command of one endpoint without a body: path parameters are positionals, query fields are flags, `cli` gives
 * the words. A DELETE names its target and asks first.
 */
export function endpointCommand(endpoint: Endpoint, options: EndpointCommandOptions = {}): CommandClass<CliContext> {
  const words = (endpoint.cli ?? '').split(' ');
  return class extends WeirCommand {
    static override paths = [words];
    static override usage = Command.Usage({
      category: capital(words[0] ?? ''),
      description: endpoint.summary,
      ...(endpoint.description === undefined ? {} : { details: endpoint.description }),
    });

    constructor() {
      super();
      Object.assign(this, endpointOptions(endpoint));
    }

    async execute(): Promise<number> {
      const given = this as unknown as Record<string, unknown>;
      const api = await this.api();
      const input = { params: givenOf(given, PARAM), query: givenOf(given, QUERY) };
      for (const [name, resolve] of Object.entries(options.resolve ?? {})) {
        if (name in input.params) input.params[name] = await resolve(api, String(input.params[name]));
      }
      if (endpoint.method === 'DELETE') {
        const target = Object.values(input.params).join(' ');
        await confirm(
          this,
          `${endpoint.summary}: ${target} of ${api.tenant ?? 'your tenant'} at ${new URL(api.url).host}`,
        );
      }
      const body = await api.call(endpoint, input as object);
      if (endpoint.response === undefined) this.note('done');
      else await this.show(body, options);
      const token = (body as { next_page_token?: string | null } | undefined)?.next_page_token;
      if (token && this.format() === 'table') this.note(`more: --page-token ${token}`);
      return 0;
    }
  };
}

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** The options of a command as clipanion wants them: fields of the command, keyed so that they cannot hide others. */
function endpointOptions(endpoint: Endpoint): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const name of endpoint.path.matchAll(/:(\w+)/g)) {
    options[`${PARAM}${name[1]}`] = Option.String({ name: name[1] ?? '', required: true });
  }
  for (const [name, schema] of Object.entries(propertiesOf(endpoint.query))) {
    const flag = `--${name.replaceAll('_', '-')}`;
    const description = describe(name, schema);
    options[`${QUERY}${name}`] =
      schema.type === 'boolean' ? Option.Boolean(flag, { description }) : Option.String(flag, { description });
  }
  return options;
}

const PAGING: Record<string, string> = {
  limit: 'How many at most',
  page_token: 'Continue where the page before ended',
  order: 'Field to order by; -field for descending',
};

function describe(name: string, schema: TSchema): string {
  const said = schema.description ?? PAGING[name] ?? `Only where ${name} is this`;
  const words = (schema.enum ?? []) as unknown[];
  return words.length > 0 ? `${said} (${words.join(' | ')})` : said;
}

function givenOf(fields: Record<string, unknown>, prefix: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([key, value]) => key.startsWith(prefix) && value !== undefined)
      .map(([key, value]) => [key.slice(prefix.length), value]),
  );
}
