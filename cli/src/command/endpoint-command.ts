import type { TSchema } from '@sinclair/typebox';
import { type Endpoint, pathNames } from '@weir/kernel/contract';
import { Command, type CommandClass, Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';
import { readDocument, withSettings } from '../document.ts';
import { withNames } from './choice.ts';
import { cliOf, SHORT_WORDS } from './cli-of.ts';
import { type CliContext, WeirCommand } from './command.ts';
import { confirm } from './confirm.ts';
import { capital, endpointsOf, type Member, membersOf, optionOf, typedValue } from './endpoint-flags.ts';
import { idOf, listOfNamed } from './named-id.ts';
import { targetOf } from './target.ts';

const PARAM = 'param:';

/** What a command of an endpoint has been given, beside the options of every command. */
interface Typed {
  [key: string]: unknown;
  file?: string;
  set?: string[];
  wait?: boolean;
}

/** The ways to call a command; the first one is its name. */
function pathsOf(words: string): string[][] {
  const path = words.split(' ');
  const short = path.map((word) => SHORT_WORDS[word] ?? word);
  return short.join(' ') === words ? [path] : [path, short];
}

/**
 * The command of one endpoint: path parameters are positionals, members of query and body are flags, `cli` gives the
 * words. `contract` has the lists by which names become ids.
 */
export function endpointCommand(endpoint: Endpoint, contract: readonly Endpoint[] = []): CommandClass<CliContext> {
  const { words = '', examples = [] } = cliOf(endpoint) ?? {};
  let found: Member[] | undefined;
  const members = () => {
    found ??= membersOf(endpoint);
    return found;
  };
  return class extends WeirCommand {
    static override paths = pathsOf(words);
    static override usage = Command.Usage({
      category: capital(words.split(' ')[0] ?? ''),
      description: endpoint.summary,
      ...(endpoint.description === undefined ? {} : { details: endpoint.description }),
      ...(examples.length === 0 ? {} : { examples: examples.map(([what, line]) => [what, line] as [string, string]) }),
    });

    constructor() {
      super();
      Object.assign(this, endpointOptions(endpoint, members()));
    }

    async execute(): Promise<number> {
      const typed = this as unknown as Typed;
      const body = endpoint.body === undefined ? undefined : await bodyOf(endpoint, members(), typed, this.context);
      const api = await this.api();
      const given = paramsOf(endpoint, typed);
      const params = await resolved(api, endpoint, given, contract);
      const question = cliOf(endpoint)?.confirm ?? (endpoint.method === 'DELETE' ? endpoint.summary : undefined);
      if (question !== undefined) await confirm(this, `${question}: ${whatIs(given)}${targetOf(api)}`);
      const query = valuesOf(members(), 'query', typed);
      const input = { params, query, ...(body === undefined ? {} : { body }) };
      const answer = await api.call(endpoint, input as object);
      return typed.wait === true ? waited(this, api, answer) : shown(this, endpoint, answer);
    }
  };
}

/** The commands of every endpoint among the values of a contract that has words for one. */
export function commandsOf(contract: Readonly<Record<string, unknown>>): CommandClass<CliContext>[] {
  const endpoints = endpointsOf(contract);
  return endpoints.filter(({ cli }) => cli !== undefined).map((each) => endpointCommand(each, endpoints));
}

/** The options of a command as clipanion wants them: fields of the command, keyed so that they cannot hide others. */
function endpointOptions(endpoint: Endpoint, members: readonly Member[]): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const name of pathNames(endpoint.path)) {
    const place = `/:${name}`;
    const names = endpoint.path.slice(0, endpoint.path.indexOf(place)) + place;
    options[`${PARAM}${name}`] = withNames(Option.String({ name, required: true }), names);
  }
  if (endpoint.body !== undefined) {
    options.file = Option.String('-f,--file', { description: 'The body in YAML or JSON; - reads stdin' });
    options.set = Option.Array('--set', [], { description: 'One value of the body, as key=value or a.b=value' });
  }
  for (const member of members) options[keyOf(member)] = optionOf(member);
  if (startsRun(endpoint)) options.wait = Option.Boolean('-w,--wait', false, { description: 'Wait for the end' });
  return options;
}

const keyOf = ({ place, name }: Pick<Member, 'place' | 'name'>) => `${place}:${name}`;

/** Whether the answer names a run that can be waited for. */
const startsRun = ({ status, response }: Endpoint) =>
  status === 202 && (response as TSchema | undefined)?.properties?.run_id !== undefined;

const paramsOf = (endpoint: Endpoint, typed: Typed): Record<string, string> =>
  Object.fromEntries(pathNames(endpoint.path).map((name) => [name, String(typed[`${PARAM}${name}`])]));

/** What was typed for the path, such as `shop of `. */
const whatIs = (given: Record<string, string>) =>
  Object.values(given)
    .map((one) => `${one} `)
    .join('') + (Object.keys(given).length > 0 ? 'of ' : '');

async function resolved(api: Api, { path }: Endpoint, given: Record<string, string>, contract: readonly Endpoint[]) {
  const ids: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const list = listOfNamed(path, name, contract);
    ids[name] = list === undefined ? value : await idOf(api, list, name, value);
  }
  return ids;
}

function valuesOf(members: readonly Member[], place: Member['place'], typed: Typed): Record<string, unknown> {
  const own = members.filter((member) => member.place === place && typed[keyOf(member)] !== undefined);
  const isBody = place === 'body';
  return Object.fromEntries(
    own.map((member) => [member.name, isBody ? typedValue(member, typed[keyOf(member)]) : typed[keyOf(member)]]),
  );
}

/** The body: the document, the settings laid over it, the flags over both; a usage error when a member is missing. */
async function bodyOf(
  { body: schema }: Endpoint,
  members: readonly Member[],
  { file, set = [], ...typed }: Typed,
  { stdin }: CliContext,
): Promise<Record<string, unknown>> {
  const document = file === undefined ? {} : await readDocument(file, stdin);
  const body = { ...withSettings(document, set), ...valuesOf(members, 'body', typed) };
  const required = ((schema as TSchema).required ?? []) as string[];
  const missing = required.filter((name) => !(name in body));
  if (missing.length === 0) return body;
  const ways = missing.map((name) => members.find((member) => member.name === name)?.flag ?? `--set ${name}=…`);
  throw new CliError('usage', `${ways.join(', ')} ${ways.length === 1 ? 'is' : 'are'} missing.`, {
    code: 'usage',
    hint: 'Give it as shown, or all of the body by -f',
  });
}

/** Waits for the run that was started; the exit code is that of the run. */
export async function waited(command: WeirCommand, api: Api, started: unknown): Promise<number> {
  const { run_id, warning } = started as { run_id: string; warning?: { detail: string } | null };
  if (warning) command.note(`warning: ${warning.detail}`);
  const [{ watchRun }, { finishRun }] = await Promise.all([
    import('../run/watch-run.ts'),
    import('../run/finish-run.ts'),
  ]);
  const ended = await watchRun(api, run_id, await command.watching());
  await command.show(ended);
  return finishRun(ended, api);
}

/** Shows the answer of an endpoint as its command says, and what people should know beside it. */
export async function shown(command: WeirCommand, endpoint: Endpoint, answer: unknown): Promise<number> {
  if (answer === undefined) {
    command.note('done');
    return 0;
  }
  const { columns } = cliOf(endpoint) ?? {};
  const record = answer as Record<string, unknown>;
  const isOne = columns !== undefined && !Array.isArray(record.items);
  const chosen = isOne && command.format() === 'table' && command.query === undefined;
  await command.show(chosen ? Object.fromEntries(columns.map((name) => [name, record[name]])) : answer, {
    ...(columns === undefined ? {} : { columns }),
  });
  const { next_page_token: token, warning } = record as { next_page_token?: string; warning?: { detail: string } };
  command.noteMore(token);
  if (warning) command.note(`warning: ${warning.detail}`);
  const secret = endpoint.shownOnce?.find((name) => record[name] != null);
  if (secret !== undefined) command.note(`the ${secret} is shown this one time; keep it where secrets are kept`);
  return 0;
}
