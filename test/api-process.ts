import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Teardown } from '@weir/kernel/testing';

const API = fileURLToPath(new URL('../kernel/src/main.ts', import.meta.url));
const LOOP_DELAY = new URL('loop-delay.ts', import.meta.url).href;
const ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', `--import=${LOOP_DELAY}`];

/** The API as a process of its own. */
export interface ApiProcess {
  url: string;
  pid: number;
  /** The longest time in milliseconds that its event loop was blocked since the last time this was asked. */
  loopDelay(): Promise<number>;
  /** How often each `METHOD route status` was answered so far, routes as they were declared. */
  answers(): ReadonlyMap<string, number>;
  /** Kills it before the end of its test. */
  end(): Promise<void>;
}

/** Starts the API program, or one that says the same of itself, and waits until it listens; it ends with the test. Rejects when it refuses to start. */
export async function apiProcess(t: Teardown, environment: Record<string, string>, program = API): Promise<ApiProcess> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = fork(program, {
    execPath: process.execPath,
    execArgv: ARGS,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment, WEIR_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  t.teardown(end);
  const answers = new Map<string, number>();
  const url = await new Promise<string>((listening, failed) => {
    child.once('exit', (code) => failed(new Error(`the API ended with ${code} before it listened`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const { msg, url, method, route, status } = JSON.parse(line) as Record<string, string>;
      if (msg === 'listening') listening(String(url));
      if (msg !== 'answered') return;
      const answer = `${method} ${route} ${status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    });
  });
  return {
    url,
    pid: child.pid ?? 0,
    async loopDelay() {
      const answer = once(child, 'message');
      child.send('loop-delay');
      const [{ longestMs }] = (await answer) as [{ longestMs: number }];
      return longestMs;
    },
    answers: () => new Map(answers),
    end,
  };
}
