import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommandClass } from 'clipanion';
import { CliError } from '../cli-error.ts';
import { cliOf } from '../command/cli-of.ts';
import type { CliContext } from '../command/command.ts';
import { commandsOf } from '../command/endpoint-command.ts';
import { boundedBody } from '../connection/bounded-fetch.ts';
import { findConnection } from '../connection/find-connection.ts';
import { isFlag } from '../line/known-command.ts';
import { writePrivately } from '../write-privately.ts';

const OURS = '@weir/';
const FETCH_MS = 5_000;
const MAX_OPENAPI_BYTES = 8 * 1024 * 1024;

type Commands = readonly CommandClass<CliContext>[];

/**
 * Commands of plugins of third parties: of those that this checkout deploys, else of those that the server had when it
 * was asked last. It is asked when a line begins with a word that is known to neither. None begins with a word of ours.
 */
export async function foreignCommands(argv: readonly string[], context: CliContext, ours: Commands): Promise<Commands> {
  const groups = new Set(ours.flatMap(({ paths = [] }) => paths.map(([first]) => first)));
  const first = argv[0] ?? '';
  if (groups.has(first)) return [];
  const isForeign = (command: CommandClass<CliContext>) => !command.paths?.some(([group]) => groups.has(group));
  const deployed = (await deployedContracts(context)).flatMap(commandsOf).filter(isForeign);
  const begins = (command: CommandClass<CliContext>) => command.paths?.some(([group]) => group === first) ?? false;
  if (deployed.some(begins)) return deployed;
  const url = await addressOf(argv, context);
  if (url === undefined) return deployed;
  const isAsked = first !== '' && !isFlag(first) && !first.startsWith('__');
  const known = (await cachedEndpoints(context, url)).filter(isForeign);
  if (!isAsked || known.some(begins)) return [...deployed, ...known];
  return [...deployed, ...(await askedEndpoints(context, url, groups))];
}

/** The contracts of plugins of third parties in the deployment of this checkout. */
async function deployedContracts({ root, env }: CliContext): Promise<Record<string, unknown>[]> {
  const file = env.WEIR_PLATFORM ?? path.join(root, 'platform.json');
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const named = (JSON.parse(text) as { plugins?: unknown }).plugins;
  const names = (Array.isArray(named) ? named : []).filter(
    (name): name is string => typeof name === 'string' && !name.startsWith(OURS),
  );
  const { resolve } = createRequire(path.join(root, 'package.json'));
  return Promise.all(
    names.map(async (name) => {
      try {
        return (await import(pathToFileURL(resolve(`${name}/contract`)).href)) as Record<string, unknown>;
      } catch (cause) {
        throw new CliError('failed', `The contract of the plugin ${name} cannot be loaded.`, {
          code: 'contract_not_loaded',
          hint: 'Install the plugin and build it, or take it out of platform.json',
          cause,
        });
      }
    }),
  );
}

/** Where the line would go; undefined when nothing says it. */
async function addressOf(argv: readonly string[], { env, cwd, root }: CliContext): Promise<string | undefined> {
  const given = (flag: string) => {
    const at = argv.indexOf(flag);
    return at === -1 ? argv.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1) : argv[at + 1];
  };
  const [url, profile] = [given('--url'), given('--profile')];
  const flags = { ...(url === undefined ? {} : { url }), ...(profile === undefined ? {} : { profile }) };
  const found = await findConnection(flags, { env, cwd, devFolder: `${root}/.weir` }).catch(() => undefined);
  return found?.url !== undefined && URL.canParse(found.url) ? new URL(found.url).origin : undefined;
}

function cacheFile({ env }: CliContext, url: string): string {
  const own = env.XDG_CACHE_HOME;
  const folder = own === undefined || own === '' ? path.join(env.HOME ?? '/', '.cache') : own;
  return path.join(folder, 'weir', `commands-${createHash('sha256').update(url).digest('hex').slice(0, 16)}.json`);
}

async function cachedEndpoints(context: CliContext, url: string): Promise<Commands> {
  const text = await readFile(cacheFile(context, url), 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  try {
    return commandsOf(JSON.parse(text) as Record<string, unknown>);
  } catch {
    return []; // It is written again when the server is asked.
  }
}

/** Asks the server which commands its endpoints have, and keeps them; none when it does not answer. */
async function askedEndpoints(
  context: CliContext,
  url: string,
  groups: ReadonlySet<string | undefined>,
): Promise<Commands> {
  const signal = AbortSignal.any([context.interrupted, AbortSignal.timeout(FETCH_MS)]);
  try {
    const answer = await fetch(new URL('/openapi.json', url), { redirect: 'error', signal });
    if (!answer.ok) return [];
    const text = Buffer.from(await boundedBody(answer, MAX_OPENAPI_BYTES)).toString();
    const { endpointsOfOpenApi } = await import('./openapi-endpoints.ts');
    const found = endpointsOfOpenApi(JSON.parse(text)).filter((one) => !groups.has(cliOf(one)?.words.split(' ')[0]));
    const endpoints = Object.fromEntries(found.map((one) => [one.id, one]));
    await writePrivately(cacheFile(context, url), JSON.stringify(endpoints));
    return commandsOf(endpoints);
  } catch {
    return [];
  }
}
