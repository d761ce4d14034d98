import path from 'node:path';
import { Cli } from 'clipanion';
import { runCli } from './run-cli.ts';

/** One Ctrl-C may arrive several times, from the terminal and from npm; only a later one means "at once". */
const SAME_INTERRUPT_MS = 2_000;
const INTERRUPTED = 130;

const interrupted = new AbortController();
let interruptedAt: number | undefined;

function interrupt(signal: NodeJS.Signals): void {
  interruptedAt ??= performance.now();
  if (performance.now() - interruptedAt > SAME_INTERRUPT_MS) process.exit(INTERRUPTED);
  interrupted.abort(signal);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runCli(process.argv.slice(2), {
  ...Cli.defaultContext,
  cwd: process.cwd(),
  root: path.resolve(import.meta.dirname, '../..'),
  interrupted: interrupted.signal,
});
