import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../command/command.ts';
import { openApi } from '../connection/api.ts';
import { profilesFile, writeProfile } from '../connection/profiles.ts';
import { durationText } from '../duration.ts';
import { errorText } from '../error-text.ts';
import { writePrivately } from '../write-privately.ts';
import { runDemo } from './demo/demo.ts';
import { DEMO_TENANT, DEMO_TENANTS, publicData } from './demo/demo-data.ts';
import { nextSteps } from './demo/next-steps.ts';
import { makeCredentialKey } from './folder/credential-key.ts';
import { deleteData } from './folder/data-folder.ts';
import { devFolder, devSecrets, makeFolders } from './folder/folder.ts';
import { checkApiPort, portChooser } from './folder/ports.ts';
import type { DevState } from './folder/state.ts';
import { devAddresses, passFileLine } from './parts/addresses.ts';
import { bringModels } from './parts/bring-models.ts';
import { buildParts } from './parts/build-parts.ts';
import { givePlugins } from './parts/give-plugins.ts';
import { platformEnvironment, startApi, startWorker } from './parts/platform.ts';
import { prepareDatabase } from './parts/prepare-database.ts';
import type { Reporter } from './parts/reporter.ts';
import { startDatabase, startIdentity, startWorkflowEngine } from './parts/services.ts';
import { type Supervisor, takeFolder } from './parts/supervisor.ts';
import { timings as startTimings, type Timings } from './parts/timings.ts';

export interface DevUpOptions {
  dataDir: string;
  /** Run the main job on public data when everything has started. */
  demo: boolean;
  /** Stop again when all is done. */
  once: boolean;
  /** Delete the data of earlier starts first. */
  fresh: boolean;
  /** Print the marks at the end. */
  printTimings: boolean;
}

const PROFILE = 'dev';
const GIB = 1024 ** 3;

/**
 * Starts everything that development needs, keeps it running until an interrupt, and stops it in reverse order. Throws
 * what failed, after everything has been stopped; an interrupt before the end of the start is `interrupted`.
 */
export async function devUp(context: CliContext, options: DevUpOptions, report: Reporter): Promise<void> {
  const marks = startTimings(Number(context.env.WEIR_LAUNCHED_AT) || undefined);
  const begun = performance.now();
  await checkApiPort(context.env.WEIR_HTTP_PORT);
  checkProvider(context.env);
  const supervisor = await takeFolder(options.dataDir, report);
  const ending = new AbortController();
  const interrupted = AbortSignal.any([context.interrupted, ending.signal]);
  try {
    if (options.fresh) await deleteData(options.dataDir);
    const started = startAndRun({ ...context, interrupted }, options, { report, supervisor, marks });
    supervisor.died.catch(() => ending.abort());
    const state = await Promise.race([started, supervisor.died]).finally(() => settled(started));
    marks.mark('total');
    await marks.write(devFolder(options.dataDir).timings);
    if (options.printTimings) context.stdout.write(`${JSON.stringify(marks.marks())}\n`);
    report.line(`  ready in ${durationText(performance.now() - begun)}`);
    if (!options.once) {
      for (const line of nextSteps(state, options.demo)) report.line(line);
      await Promise.race([interruption(context.interrupted), supervisor.died]);
    }
  } catch (error) {
    if (!context.interrupted.aborted) throw error;
    throw new CliError('interrupted', 'Interrupted before the end; everything is stopped.');
  } finally {
    await supervisor.stop();
  }
}

/** Waits until nothing is being started any more, so that nothing starts behind the back of the stop. */
const settled = (work: Promise<unknown>) => work.then(() => undefined).catch(() => undefined);

const interruption = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

interface RunDeps {
  report: Reporter;
  supervisor: Supervisor;
  marks: Timings;
}

async function startAndRun(context: CliContext, options: DevUpOptions, deps: RunDeps): Promise<DevState> {
  const { report } = deps;
  const state = await startAll(context, options.dataDir, deps);
  await givePlugins(apiOf(context, state), DEMO_TENANTS, report);
  if (options.demo) await demonstrate(context, state, deps).catch((error) => leaveRunning(error, options, report));
  // Behind the first rows, so that they come no later.
  await buildParts(context, report);
  if (!options.once) bringModels(context, apiOf(context, state), report);
  return state;
}

async function demonstrate(context: CliContext, state: DevState, { report, marks }: RunDeps): Promise<void> {
  const api = apiOf(context, state);
  await runDemo({ api, report, timings: marks, stderr: context.stderr, interrupted: context.interrupted });
}

const apiOf = ({ interrupted }: CliContext, { api_url: url, tenant, token }: DevState) =>
  openApi({ url, tenant, token }, { interrupted, timeoutMs: CALL_TIMEOUT_MS });

/** A demo that fails leaves what has started running, so that its hint can be followed; with `once` it is the end. */
export function leaveRunning(error: unknown, { once }: DevUpOptions, report: Reporter): void {
  if (once || !(error instanceof CliError) || error.exit === 'interrupted') throw error;
  report.failed('the demo failed; everything else runs');
  for (const line of errorText(error).trimEnd().split('\n')) report.line(`    ${line}`);
}

const CALL_TIMEOUT_MS = 60_000;

async function startAll(
  context: CliContext,
  dataDir: string,
  { report, supervisor, marks }: RunDeps,
): Promise<DevState> {
  const { env, root, interrupted } = context;
  const folder = devFolder(dataDir);
  await makeFolders(folder);
  const secrets = await devSecrets(folder);
  await makeCredentialKey(folder.credentialKey);
  report.done(`runtime ${process.version}, ${availableParallelism()} cores, ${Math.round(totalmem() / GIB)} GB`, 0);
  const port = await portChooser(folder, env.WEIR_HTTP_PORT);
  const keep = supervisor.keep.bind(supervisor);
  const service = { env, folder, secrets, report, timings: marks, keep, port };
  const prepared = startDatabase(service).then(async (database) => {
    stopWhen(interrupted);
    await prepareDatabase({ root, env, database, secrets, report, interrupted }, DEMO_TENANTS);
    marks.mark('migrated');
    return database;
  });
  const [database, workflowEngine, identity] = await allOf([
    prepared,
    startWorkflowEngine(service),
    startIdentity(service),
  ]);
  stopWhen(interrupted);
  const settings = { database, appPassword: secrets.app, workflowEngine, identity, folder, root };
  const readable = { cwd: context.cwd, publicData: publicData() };
  const program = {
    root,
    folder,
    env: platformEnvironment(env, { ...settings, ...readable }),
    report,
    interrupted,
    keep,
  };
  const apiReady = startApi(program, port).then((address) => {
    marks.mark('api_ready');
    return address;
  });
  const [url, , token] = await allOf([apiReady, startWorker(program), tokenOf(identity, env)]);
  const facts = { url, identity, workflowEngine, database, folder, secrets, profile: PROFILE, env };
  await writePrivately(folder.passFile, passFileLine(facts));
  const addresses = devAddresses(facts);
  const known = { ...addresses, tenant: DEMO_TENANT, token };
  await supervisor.publish(known);
  await writeProfile(profilesFile(env), PROFILE, { url, tenant: DEMO_TENANT, token });
  return known as DevState;
}

function stopWhen(interrupted: AbortSignal): void {
  if (interrupted.aborted) throw new CliError('interrupted', 'Interrupted.');
}

/** All results, or the first failure once nothing is under way any more: what was started is then known and stopped. */
async function allOf<T extends readonly unknown[]>(
  promises: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const results = await Promise.allSettled(promises);
  const values: unknown[] = [];
  for (const result of results as PromiseSettledResult<unknown>[]) {
    if (result.status === 'rejected') throw asFailure(result.reason);
    values.push(result.value);
  }
  return values as unknown as T;
}

/** A part that does not start is a failed start, in the words of the part, and no bug of this program. */
function asFailure(reason: unknown): CliError {
  if (reason instanceof CliError) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  return new CliError('failed', message, {
    code: 'start_failed',
    hint: 'weir doctor looks for the reason; weir dev logs shows what the parts said.',
    cause: reason,
  });
}

/** Refuses an identity provider of others that lacks what the start needs of it. */
function checkProvider(env: Record<string, string | undefined>): void {
  if (!env.IDP_URL) return;
  if (!env.IDP_ISSUER) throw new CliError('usage', 'IDP_URL needs IDP_ISSUER beside it.', { code: 'setting_invalid' });
  if (!env.WEIR_TOKEN) throw noToken();
}

const noToken = () =>
  new CliError('refused', 'The configured identity provider gives the demo no token.', {
    code: 'unauthenticated',
    hint: `Set WEIR_TOKEN to a token of it with the organization ${DEMO_TENANT}, or leave IDP_URL unset.`,
  });

async function tokenOf(
  identity: { token?: () => Promise<string> },
  env: Record<string, string | undefined>,
): Promise<string> {
  if (identity.token !== undefined) return identity.token();
  if (env.WEIR_TOKEN) return env.WEIR_TOKEN;
  throw noToken();
}

/** The data folder that a command means: --data-dir, else `.weir` of the checkout. */
export const dataFolder = (context: CliContext, given: string | undefined): string =>
  path.resolve(context.cwd, given ?? path.join(context.root, '.weir'));
