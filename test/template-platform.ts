import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Teardown, TestIssuer } from '@weir/kernel/testing';
import { plainly } from './build.ts';

/** The programs of a deployment, run as JavaScript from its `node_modules` by the Node that runs us. */
export interface Deployment {
  /** Runs a program to its end; answers its exit code and what it said. */
  run(program: Program, args: readonly string[], environment?: Environment): Promise<Said>;
  /** Starts a program and waits for the line that says it is ready; killed with the test if it still runs. */
  start(program: Program, args: readonly string[]): Promise<Started>;
}

/** The packages that hold programs. */
type Program = 'kernel' | 'migrations' | 'workers';
type Environment = Readonly<Record<string, string>>;

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

interface Started {
  /** The line by which the program said that it is ready. */
  line: { url?: string; ready?: boolean };
  /** Asks it to end, and waits. */
  stop(): Promise<void>;
}

/** The programs of the deployment in `folder`, in exactly this environment. */
export function deployment(t: Teardown, folder: string, environment: Environment): Deployment {
  const main = (program: Program) => path.join(folder, 'node_modules', '@weir', program, 'dist', 'main.js');
  const compiled = path.join(folder, 'compiled');
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: compiled, ...environment };
  return {
    async run(program, args, more = {}) {
      const options = { cwd: folder, env: { ...env, ...more } };
      return promisify(execFile)(...plainly(process.execPath, [main(program), ...args]), options).then(
        (said) => ({ code: 0, ...said }),
        (error: Said) => error,
      );
    },
    async start(program, args) {
      const child = spawn(...plainly(process.execPath, [main(program), ...args]), { cwd: folder, env, stdio: 'pipe' });
      t.teardown(() => end(child, 'SIGKILL'));
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      const line = await new Promise<Started['line']>((ready, failed) => {
        createInterface({ input: child.stdout }).on('line', (text) => {
          if (/"ready":true|"msg":"listening"/.test(text)) ready(JSON.parse(text));
        });
        child.once('exit', (code) => failed(new Error(`${program} ended with ${code} before it was ready\n${said}`)));
      });
      return { line, stop: () => end(child, 'SIGTERM') };
    },
  };
}

/** Calls the API as the admin of a tenant, or as `operator`, who is a platform admin without a tenant. */
export function caller(issuer: TestIssuer, url: string | undefined) {
  return async (who: string, method: string, route: string, body?: object) => {
    const claims =
      who === 'operator'
        ? { organizations: [], roles: ['platform_admin'] }
        : { organizations: [who], roles: ['admin'] };
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${await issuer.userToken(claims)}`, ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}
