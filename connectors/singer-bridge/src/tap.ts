import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { KIT_FAULTS, SourceError } from '@weir/connector-sdk';

/** A started tap: what it says, and how it ends. */
export type RunningTap = { readonly process: ChildProcess; readonly exited: Promise<number> };

/** Starts a tap whose stderr, its log, is ours. `SIGNALLED` stands for an end by a signal. */
export async function startTap(tap: string, args: readonly string[]): Promise<RunningTap> {
  const child = spawn(tap, [...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'close').then(([code]) => (code as number | null) ?? SIGNALLED);
  exited.catch(() => undefined);
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new SourceError('tap_missing', { ...KIT_FAULTS.tap_missing, cause });
  });
  return { process: child, exited };
}

export const SIGNALLED = -1;

/** Runs a tap to its end; undefined when it does not end well. */
export async function askTap(tap: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const { process: child, exited } = await startTap(tap, args);
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const [said, code] = await Promise.all([child.stdout === null ? '' : text(child.stdout), exited]);
  signal.removeEventListener('abort', stop);
  return code === 0 ? said : undefined;
}

/** Gives `use` a folder that only we read, and takes it away afterwards, however it ends. */
export async function withFiles<T>(
  files: Readonly<Record<string, string | undefined>>,
  use: (flags: readonly string[]) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'singer-'));
  try {
    const flags: string[] = [];
    for (const [name, content] of Object.entries(files)) {
      if (content === undefined) continue;
      const file = path.join(folder, `${name}.json`);
      await writeFile(file, content, { mode: 0o600 });
      flags.push(`--${name}`, file);
    }
    return await use(flags);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
