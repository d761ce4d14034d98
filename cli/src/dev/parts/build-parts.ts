import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { CliContext } from '../../command/command.ts';
import { programLine } from '../../command/program.ts';
import type { Reporter } from './reporter.ts';

interface Part {
  name: string;
  /** The program that builds it unless it is up to date. */
  program: string;
  /** What is said where it cannot be built. */
  fault: string;
}

const PARTS: readonly Part[] = [
  {
    name: 'programs',
    program: 'cli/build.ts',
    fault: 'commands and processes start slowly: they could not be bundled',
  },
  {
    name: 'web pages',
    program: 'ui/build.ts',
    fault: 'the web pages could not be built: npm run build shows why',
  },
];

/** Builds what is built of a checkout, unless it is up to date. A start does not fail by it: everything else runs. */
export async function buildParts(context: CliContext, report: Reporter): Promise<void> {
  for (const part of PARTS) await buildPart(context, report, part);
}

async function buildPart(
  { root, env, interrupted }: CliContext,
  report: Reporter,
  { name, program, fault }: Part,
): Promise<void> {
  const isCheckout = await access(path.join(root, program)).then(
    () => true,
    () => false,
  );
  if (!isCheckout || interrupted.aborted) return;
  const started = performance.now();
  const [command, args] = programLine(root, program, []);
  const options = { cwd: root, env: env as NodeJS.ProcessEnv, signal: interrupted };
  await report.during(name, promisify(execFile)(command, args, options)).then(
    () => report.done(name, started),
    () => report.failed(fault),
  );
}
