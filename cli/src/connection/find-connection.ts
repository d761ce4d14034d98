import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../cli-error.ts';
import { isAlive } from '../dev/folder/process-identity.ts';
import { readState } from '../dev/folder/state.ts';
import { type Profile, profileNamed, profilesFile, readProfiles, type Session } from './profiles.ts';
import { type Connection, type ConnectionLayer, resolveConnection } from './resolve-connection.ts';

/** The surroundings that say where a command goes. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  cwd: string;
  /** Data folder of the development server of this checkout. */
  devFolder: string;
  /** A profile that was asked for need not be there, since it is about to be made. */
  newProfile?: boolean;
}

/** The profile that `weir dev up` writes. */
const DEV_PROFILE = 'dev';
const PROJECT_FILE = 'weir.yaml';
const PROJECT_FIELDS = ['url', 'tenant', 'output', 'profile'] as const;

/** A connection, with the session that its token is of. */
export interface FoundConnection extends Connection {
  /** Whether the profile of a development server is used in a checkout whose own does not run. */
  ownServerIsDown?: true;
  session?: Session;
  /** Whether it is the development server of this checkout, which reads the folders of this machine. */
  isOwnServer?: true;
}

/** A profile as a layer: what it was given, or the token of its session. */
const layerOf = ({ session, ...given }: Profile): ConnectionLayer =>
  session === undefined ? given : { ...given, token: session.access_token };

/** Reads every layer and resolves the connection; throws a usage error on a missing profile or an unreadable layer. */
export async function findConnection(
  flags: ConnectionLayer,
  { env, cwd, devFolder, newProfile = false }: Surroundings,
): Promise<FoundConnection> {
  const state = await readState(devFolder);
  const { current, profiles } = await readProfiles(profilesFile(env));
  const layers = Object.fromEntries(Object.entries(profiles).map(([name, profile]) => [name, layerOf(profile)]));
  const inCheckout = isBelow(cwd, path.dirname(devFolder));
  const isRunning = state !== undefined && (await isAlive(state.supervisor));
  const found = resolveConnection({
    flags,
    env: await environmentLayer(env),
    project: await projectLayer(cwd),
    profiles: { ...(current === undefined ? {} : { current }), profiles: layers },
    inCheckout,
    ...(isRunning ? { running: { url: state.api_url, tenant: state.tenant, token: state.token } } : {}),
  });
  if (found.missingProfile !== undefined && !newProfile) {
    throw new CliError('usage', `There is no profile ${found.missingProfile}.`, {
      hint: `weir login --profile ${found.missingProfile} --url <address> makes it; profiles live in ${profilesFile(env)}`,
    });
  }
  const profile = found.profile === undefined ? undefined : profileNamed({ profiles }, found.profile);
  const session = found.tokenFrom === 'profile' ? profile?.session : undefined;
  const isDown = inCheckout && !isRunning && found.profile === DEV_PROFILE && found.url === profile?.url;
  return {
    ...found,
    ...(session === undefined ? {} : { session }),
    ...(isDown ? { ownServerIsDown: true as const } : {}),
    ...(isRunning && found.url === state.api_url ? { isOwnServer: true as const } : {}),
  };
}

const isBelow = (folder: string, above: string) =>
  `${path.resolve(folder)}${path.sep}`.startsWith(`${path.resolve(above)}${path.sep}`);

async function environmentLayer(env: Record<string, string | undefined>): Promise<ConnectionLayer> {
  const layer: ConnectionLayer = {};
  const names = { url: 'WEIR_URL', tenant: 'WEIR_TENANT', profile: 'WEIR_PROFILE', output: 'WEIR_OUTPUT' } as const;
  for (const [field, name] of Object.entries(names) as [keyof typeof names, string][]) {
    const value = env[name];
    if (value !== undefined && value !== '') layer[field] = value;
  }
  const file = env.WEIR_TOKEN_FILE;
  if (env.WEIR_TOKEN !== undefined && env.WEIR_TOKEN !== '') layer.token = env.WEIR_TOKEN;
  else if (file !== undefined && file !== '') {
    layer.token = await readFile(file, 'utf8').then(
      (text) => text.trim(),
      (cause: unknown) => {
        throw new CliError('usage', 'WEIR_TOKEN_FILE cannot be read.', { cause });
      },
    );
  }
  return layer;
}

/** The nearest weir.yaml at or above the working folder; it may name a server, never hold a token. */
async function projectLayer(cwd: string): Promise<ConnectionLayer> {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const file = path.join(folder, PROJECT_FILE);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return projectFields(file, text);
    if (path.dirname(folder) === folder) return {};
  }
}

async function projectFields(file: string, text: string): Promise<ConnectionLayer> {
  const { parse } = await import('yaml');
  let read: unknown;
  try {
    read = parse(text);
  } catch (cause) {
    throw new CliError('usage', `${file} is not YAML.`, { cause });
  }
  const layer: ConnectionLayer = {};
  for (const field of PROJECT_FIELDS) {
    const value = (read as Record<string, unknown> | null)?.[field];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') throw new CliError('usage', `${field} in ${file} must be text.`);
    layer[field] = value;
  }
  return layer;
}
