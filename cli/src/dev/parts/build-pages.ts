import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { CliContext } from '../../command/command.ts';
import { programLine } from '../../command/program.ts';
import type { Reporter } from './reporter.ts';

const PROGRAM = 'ui/build.ts';

/** Builds the web pages of a checkout unless they are up to date. A start does not fail by it: the API serves what else there is. */
export async function buildPages({ root, env, interrupted }: CliContext, report: Reporter): Promise<void> {
  const isCheckout = await access(path.join(root, PROGRAM)).then(
    () => true,
    () => false,
  );
  if (!isCheckout || interrupted.aborted) return;
  const started = performance.now();
  const [command, args] = programLine(root, PROGRAM, []);
  const options = { cwd: root, env: env as NodeJS.ProcessEnv, signal: interrupted };
  await report.during('web pages', promisify(execFile)(command, args, options)).then(
    () => report.done('web pages', started),
    () => report.failed('the web pages could not be built: npm run build shows why'),
  );
}
