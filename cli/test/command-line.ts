import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Test } from 'tap';
import type { ExitName } from '../src/exit-codes.ts';
import { runCli } from '../src/run-cli.ts';

/** What an error that ends a command so looks like, for `throws` and `rejects`. */
export const ending = (exit: ExitName, message?: RegExp) =>
  ({ exit, ...(message === undefined ? {} : { message }) }) as unknown as Error;

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  stdin?: string;
  interrupted?: AbortSignal;
  cwd?: string;
  /** Told everything that goes to stderr. */
  said?: (text: string) => void;
}

/** Runs command lines in an empty home, without a terminal, and keeps what they print. */
export function commandLine(t: Test) {
  const home = t.testdir({});
  const root = path.join(home, 'checkout');
  const { NODE_COMPILE_CACHE } = process.env;
  const base = {
    ...{ HOME: home, XDG_CONFIG_HOME: path.join(home, 'config') },
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  };
  const collect = (parts: string[], said?: (text: string) => void) =>
    new Writable({
      write(chunk, _encoding, done) {
        parts.push(String(chunk));
        said?.(String(chunk));
        done();
      },
    });
  const weir = async (line: string | string[], options: RunOptions = {}): Promise<Ran> => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await runCli(typeof line === 'string' ? line.split(' ') : line, {
      env: { ...base, ...options.env },
      stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
      stdout: collect(out),
      stderr: collect(err, options.said),
      colorDepth: 1,
      cwd: options.cwd ?? home,
      root,
      interrupted: options.interrupted ?? new AbortController().signal,
    });
    return { code, stdout: out.join(''), stderr: err.join('') };
  };
  return { weir, home, root };
}
