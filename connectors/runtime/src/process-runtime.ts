import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SEGMENT_OFFER } from '@weir/connector-sdk';
import { byteTail } from './byte-tail.ts';
import { ConnectorError } from './connector-error.ts';
import {
  type ConnectorExit,
  type ConnectorProcess,
  type ConnectorRun,
  type ConnectorRuntime,
  type SegmentFolder,
  STDERR_TAIL_BYTES,
  STOP_GRACE_MS,
} from './connector-runtime.ts';
import { createSegmentFolder, createWorkspace, sweepWorkspaces, type Workspace } from './workspace.ts';

/** How long what a connector has left in the pipe of its stderr may hold up its end. */
const STDERR_GRACE_MS = 1_000;

/** `command` is a Node program of ours and its leading arguments; the protocol's arguments follow. */
export type ProcessConnector = { readonly command: readonly string[] };

export type ProcessRuntimeOptions = {
  /** By image name without its tag: `weir/connector-files`. */
  readonly connectors: Readonly<Record<string, ProcessConnector>>;
  /** Where the workspaces of attempts are made. */
  readonly workspaceRoot: string;
  readonly mode: 'development' | 'staging' | 'production';
  /** What the operator tells every connector, such as the networks that it may reach. */
  readonly environment?: Readonly<Record<string, string>>;
};

/**
 * The development runtime: runs our own connectors as child processes, each in a process group of its own, with
 * the Node binary we run on, an environment made from nothing, and the workspace as its folder. It isolates
 * nothing, so every mode but development is refused with `connector_runtime_unavailable`.
 *
 * The child holds the read end of a pipe as its stdin and ends itself when that closes: a connector never
 * outlives the process that called `run`, not even after kill -9.
 */
export function processRuntime(options: ProcessRuntimeOptions): ConnectorRuntime {
  const { connectors, workspaceRoot, mode, environment = {} } = options;
  if (mode !== 'development') throw new ConnectorError('connector_runtime_unavailable');
  let swept: Promise<void> | undefined;
  return {
    async run(request) {
      const connector = connectors[imageName(request.image)];
      if (connector === undefined) throw new ConnectorError('connector_image_unknown');
      swept ??= sweepWorkspaces(workspaceRoot);
      await swept;
      const workspace = await createWorkspace(workspaceRoot, request.inputs ?? {});
      const segments = request.segments ? await createSegmentFolder(workspaceRoot) : undefined;
      const variables = { ...environment, ...own(request, workspace), ...offer(segments) };
      const child = await start(connector, variables, request, workspace).catch(async (cause: unknown) => {
        await workspace.destroy();
        await segments?.destroy();
        throw new ConnectorError('connector_start_failed', { cause });
      });
      request.onStarting?.();
      return { ...supervise(child, request, workspace), ...(segments === undefined ? {} : { segments }) };
    },
  };
}

/** An image reference without tag and digest; a port in the registry's part is not a tag. */
function imageName(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
}

async function start(
  connector: ProcessConnector,
  env: NodeJS.ProcessEnv,
  request: ConnectorRun,
  workspace: Workspace,
): Promise<ChildProcess> {
  const inputs = Object.entries(workspace.files).flatMap(([name, file]) => [`--${name}`, file]);
  const args = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', ...connector.command];
  const child = spawn(process.execPath, [...args, request.verb, ...inputs], {
    cwd: workspace.path,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  await once(child, 'spawn');
  return child;
}

/** What the attempt itself decides; the operator's words never replace it. */
function own(request: ConnectorRun, workspace: Workspace): NodeJS.ProcessEnv {
  const memory = request.limits?.memoryMiB;
  const { NODE_COMPILE_CACHE: compiled } = process.env;
  return {
    // Connectors of this runtime are ours: they start from compiled code, as our processes do.
    ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }),
    HOME: workspace.tmp,
    TMPDIR: workspace.tmp,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    DATA_CHANNEL_MEDIUM: 'STDIO',
    DATA_CHANNEL_FORMAT: 'JSONL',
    WEIR_STDIN_LEASE: '1',
    ...(memory === undefined ? {} : { WEIR_CONNECTOR_MEMORY_MIB: String(memory) }),
  };
}

function offer(segments: SegmentFolder | undefined): NodeJS.ProcessEnv {
  const { channel, channelVariable, folderVariable, formats, formatsVariable } = SEGMENT_OFFER;
  if (segments === undefined) return {};
  return { [channelVariable]: channel, [folderVariable]: segments.path, [formatsVariable]: formats };
}

function supervise(child: ChildProcess, request: ConnectorRun, workspace: Workspace): ConnectorProcess {
  const stderr = byteTail(STDERR_TAIL_BYTES);
  const { stdout } = child;
  if (stdout === null) throw new ConnectorError('connector_start_failed');
  child.once('exit', () => {
    if (stdout.readableFlowing === null) keepUnread(stdout);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
    request.onStderr?.(chunk);
  });
  const wholeStderr = child.stderr === null ? Promise.resolve() : once(child.stderr, 'close').catch(() => undefined);
  // A connector that never reads its stdin may close it: the lease is not ours to complain about.
  child.stdin?.on('error', () => undefined);
  let stopped = false;
  let killTimer: NodeJS.Timeout | undefined;

  const askToStop = () => {
    if (stopped || child.exitCode !== null || child.signalCode !== null) return;
    stopped = true;
    signalGroup(child, 'SIGTERM');
    killTimer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_GRACE_MS);
  };
  const exit = (async (): Promise<ConnectorExit> => {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    clearTimeout(killTimer);
    request.signal?.removeEventListener('abort', askToStop);
    // Whatever the connector started and left behind goes with it.
    signalGroup(child, 'SIGKILL');
    // A process may be gone before its last words have been read.
    await Promise.race([wholeStderr, delay(STDERR_GRACE_MS, undefined, { ref: false })]);
    await workspace.destroy().catch(() => undefined);
    return { code: code ?? undefined, signal: signal ?? undefined, oomKilled: false, stopped };
  })();
  request.signal?.addEventListener('abort', askToStop, { once: true });
  if (request.signal?.aborted) askToStop();

  return {
    name: `connector-${imageName(request.image).split('/').at(-1)}-${request.verb}`,
    pid: child.pid,
    stdout,
    stderrTail: stderr.text,
    exit,
    stop() {
      askToStop();
      return exit;
    },
  };
}

/**
 * Keeps the output of a process that has just ended for a reader who comes later: Node drains what nobody reads by then,
 * and drops it, but for one that is listened to.
 */
function keepUnread(stdout: Readable): void {
  const listen = () => undefined;
  stdout.on('readable', listen);
  setImmediate(() => stdout.off('readable', listen));
}

/** Signals the connector's whole group; a group that is gone is what we want. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
