import path from 'node:path';
import { Cli } from 'clipanion';
import { runCli } from './run-cli.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort(signal));
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runCli(process.argv.slice(2), {
  ...Cli.defaultContext,
  cwd: process.cwd(),
  root: path.resolve(import.meta.dirname, '../..'),
  interrupted: interrupted.signal,
});
