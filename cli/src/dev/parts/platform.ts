import { randomBytes } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../../cli-error.ts';
import { programLine } from '../../command/program.ts';
import type { DevFolder } from '../folder/folder.ts';
import { diedError, type Part } from './part.ts';
import type { Reporter } from './reporter.ts';
import type { Database, Identity, WorkflowEngine } from './services.ts';
import { until } from './until.ts';

/** What the programs of the platform are told. */
export interface PlatformSettings {
  database: Database;
  appPassword: string;
  workflowEngine: WorkflowEngine;
  identity: Identity;
  folder: DevFolder;
  root: string;
  /** The folder that the server was started in: sources may read it unless the operator names others. */
  cwd: string;
  /** Folders of public data, which are read whatever is open. */
  publicData: readonly string[];
}

/** The environment of API and worker: the surroundings, and what the development server decides. */
export function platformEnvironment(
  env: Record<string, string | undefined>,
  { database, appPassword, workflowEngine, identity, folder, root, cwd, publicData }: PlatformSettings,
): Record<string, string | undefined> {
  const embedded = database.superuserUrl !== undefined;
  return {
    ...env,
    WEIR_MODE: 'development',
    DB_HOST: database.host,
    DB_PORT: String(database.port),
    DB_NAME: database.name,
    DB_USER: embedded ? 'weir_app' : (env.DB_USER ?? 'weir_app'),
    ...(embedded ? { DB_PASSWORD: appPassword, DB_PASSWORD_FILE: undefined } : {}),
    WORKFLOW_HOST: workflowEngine.host,
    WORKFLOW_PORT: String(workflowEngine.port),
    WORKFLOW_NAMESPACE: workflowEngine.namespace,
    IDP_URL: identity.url,
    IDP_ISSUER: identity.issuer,
    WEIR_IDP_AUDIENCE: env.WEIR_IDP_AUDIENCE ?? 'weir-api',
    IDP_CLIENT_ID: env.IDP_CLIENT_ID ?? 'weir-cli',
    WEIR_CREDENTIAL_KEY_FILE: env.WEIR_CREDENTIAL_KEY_FILE ?? folder.credentialKey,
    WEIR_WAREHOUSE: folder.warehouse,
    WEIR_RUN_LOG_DIR: env.WEIR_RUN_LOG_DIR ?? folder.runLogs,
    WEIR_UPLOAD_DIR: env.WEIR_UPLOAD_DIR ?? folder.uploads,
    WEIR_WORK_DIR: folder.work,
    WEIR_CACHE_DIR: folder.cache,
    WEIR_STATE_DIR: folder.state,
    WEIR_PLATFORM: path.join(root, 'platform.json'),
    WEIR_FILES_ROOTS: [env.WEIR_FILES_ROOTS || filesRoots([cwd], folder), ...publicData].join(path.delimiter),
    WEIR_FILES_REFUSED: [env.WEIR_FILES_REFUSED, folder.root, database.dataDir].filter(Boolean).join(path.delimiter),
  };
}

/** The whole machine is never open by default, and a folder whose name would be read as two cannot be said. */
function filesRoots(readable: readonly string[], { uploads }: DevFolder): string {
  const roots = readable.filter((folder) => path.dirname(folder) !== folder && !folder.includes(path.delimiter));
  // An empty setting opens every folder; sources read their uploads whatever is open.
  return roots.length === 0 ? uploads : roots.join(path.delimiter);
}

export interface PlatformDeps {
  root: string;
  folder: DevFolder;
  env: Record<string, string | undefined>;
  report: Reporter;
  interrupted: AbortSignal;
  keep(part: Part): Promise<void>;
}

const READY_TIMEOUT_MS = 90_000;
const READY_CALL_MS = 2_000;
/** A worker hands back what it does before it ends, which takes up to 30 s. */
const WORKER_GRACE_MS = 45_000;
const API_GRACE_MS = 20_000;

const PORT_TRIES = 3;
const PORT_TAKEN = /EADDRINUSE/;

/**
 * Starts the API and waits until it, and no stranger on the same port, answers that it is ready; answers its address.
 * Another program may take the port between the choice and the start: then another port is chosen.
 */
export async function startApi(deps: PlatformDeps, port: (name: string) => Promise<number>): Promise<string> {
  const started = performance.now();
  for (let tries = 1; ; tries++) {
    const url = `http://127.0.0.1:${await port('api')}`;
    try {
      await deps.report.during('api', startApiAt(deps, url));
      deps.report.done('api', started);
      return url;
    } catch (error) {
      if (tries === PORT_TRIES || !(error instanceof CliError) || !PORT_TAKEN.test(error.message)) throw error;
    }
  }
}

async function startApiAt(deps: PlatformDeps, url: string): Promise<void> {
  const mark = `development-${randomBytes(8).toString('hex')}`;
  const { hostname: WEIR_HTTP_HOST, port: WEIR_HTTP_PORT } = new URL(url);
  const env = { ...deps.env, WEIR_HTTP_HOST, WEIR_HTTP_PORT, WEIR_IMAGE_DIGEST: mark };
  const options = { name: 'api', script: 'kernel/src/main.ts', args: [], graceMs: API_GRACE_MS };
  const part = await startProgram({ ...deps, env }, options);
  await untilReady(deps, part, async () => {
    const ask = (route: string) => fetch(new URL(route, url), { signal: AbortSignal.timeout(READY_CALL_MS) });
    const { image_digest: digest } = (await (await ask('/health')).json()) as { image_digest?: string };
    if (digest !== mark) return false;
    const ready = await ask('/ready');
    await ready.arrayBuffer();
    return ready.status === 200;
  });
}

/** Starts one worker for the roles of all plugins and waits until it takes work. */
export async function startWorker(deps: PlatformDeps): Promise<void> {
  const started = performance.now();
  const roles = await declaredRoles(path.join(deps.root, 'platform.json'));
  const part = await startProgram(deps, {
    name: 'worker',
    role: roles.join(','),
    script: 'workers/src/main.ts',
    args: ['--roles', roles.join(',')],
    graceMs: WORKER_GRACE_MS,
  });
  const file = path.join(deps.folder.state, `worker-${part.pid}.json`);
  await deps.report.during(
    'worker',
    untilReady(deps, part, () => access(file).then(() => true)),
  );
  deps.report.done(`worker: ${roles.join(', ')}`, started);
}

/** The worker roles that the plugins of a deployment declare. */
async function declaredRoles(platformFile: string): Promise<string[]> {
  const read = async <T>(file: string) => JSON.parse(await readFile(file, 'utf8')) as T;
  const { plugins } = await read<{ plugins: string[] }>(platformFile);
  const packages = plugins.flatMap((name) => findPackageJSON(name, pathToFileURL(platformFile)) ?? []);
  const manifests = packages.map((file) => read<{ weir?: { workers?: { role: string }[] } }>(file));
  const declared = (await Promise.all(manifests)).flatMap(({ weir }) => weir?.workers ?? []);
  return [...new Set(declared.map(({ role }) => role))];
}

interface ProgramOptions {
  name: string;
  role?: string;
  script: string;
  args: string[];
  graceMs: number;
}

async function startProgram(deps: PlatformDeps, options: ProgramOptions): Promise<Part> {
  const { name, role, script, args, graceMs } = options;
  const { supervise } = await import('@weir/embedded');
  const [command, line] = programLine(deps.root, script, args);
  const logFile = path.join(deps.folder.logs, `${name}.log`);
  const child = await supervise({
    name,
    command,
    args: line,
    env: deps.env as NodeJS.ProcessEnv,
    cwd: deps.root,
    logFile,
  });
  const part: Part = {
    name,
    pid: child.pid,
    ...(role === undefined ? {} : { role }),
    logFile,
    exited: child.exited,
    stop: () => child.stop('SIGTERM', graceMs),
    starting: true,
  };
  await deps.keep(part);
  return part;
}

async function untilReady({ interrupted }: PlatformDeps, part: Part, check: () => Promise<boolean>): Promise<void> {
  let ended = false;
  void part.exited.then(() => {
    ended = true;
  });
  await until(
    async () => {
      if (ended) throw await diedError(part);
      return check().catch(() => false);
    },
    { what: `The ${part.name}`, timeoutMs: READY_TIMEOUT_MS, interrupted },
  );
  part.starting = false;
  if (ended) throw await diedError(part);
}
