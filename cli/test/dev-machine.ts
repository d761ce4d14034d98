import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';

const run = promisify(execFile);
const WEIR = path.resolve(import.meta.dirname, '../bin/weir.mjs');
const OTHERS = ['DB_HOST', 'WORKFLOW_HOST', 'IDP_URL', 'WEIR_URL', 'WEIR_TOKEN', 'WEIR_PROFILE', 'NODE_OPTIONS'];

/** A running command: what it printed so far, its end, and a wait for something that it prints. */
export interface Started {
  said: { stdout: string; stderr: string };
  ended: Promise<number | null>;
  /** Resolves once stdout matches; rejects when the command ends without. */
  printed(pattern: RegExp): Promise<void>;
}

/** The command as a user starts it, with a home and a data folder of its own that go with the test. */
export function machine(t: Test) {
  const home = mkdtempSync(path.join(tmpdir(), 'weir-dev-'));
  const dataDir = path.join(home, 'data');
  const env: NodeJS.ProcessEnv = { ...process.env, XDG_CONFIG_HOME: path.join(home, 'config'), NO_COLOR: '1' };
  for (const name of OTHERS) delete env[name];
  const weir = async (...args: string[]) => (await run(process.execPath, [WEIR, ...args], { env, cwd: home })).stdout;
  const start = (...args: string[]): Started => {
    const child = spawn(process.execPath, [WEIR, ...args, '--data-dir', dataDir], {
      ...{ env, cwd: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (said.stdout += chunk));
    child.stderr.on('data', (chunk) => (said.stderr += chunk));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const printed = (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = () => pattern.test(said.stdout) && resolve();
        child.stdout.on('data', look);
        void ended.then((code) => reject(new Error(`it ended with ${code} before: ${said.stderr}`)));
        look();
      });
    return { said, ended, printed };
  };
  t.teardown(async () => {
    await weir('dev', 'reset', '--yes', '--data-dir', dataDir);
    rmSync(home, { recursive: true, force: true });
  });
  return { home, dataDir, weir, start };
}
