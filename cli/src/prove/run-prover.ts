import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../command/command.ts';
import { programLine } from '../command/program.ts';

/** What a proof came to, as the prover prints it. */
export interface ProofReport {
  verdict: 'proved' | 'failed';
  not_run: { mode: string; why: string }[];
  places: { place: string; items: number; bytes: number; control: string; findings: number; allowed: number }[];
  findings: { place: string; where: string; mode: string; field: string; form: string; times: number }[];
  faults: string[];
}

/** The prover starts a platform of its own from the sources of the checkout, and stands beside its tests. */
const PROGRAM = 'test/prove/main.ts';

/** Runs the prover to its end, its steps on stderr; answers its report. An interrupt stops everything that it started. */
export async function runProver(context: CliContext, args: readonly string[], quiet: boolean): Promise<ProofReport> {
  if (!existsSync(path.join(context.root, PROGRAM)))
    throw new CliError('failed', 'The prover is not here.', { hint: 'Run this command in a checkout of Weir.' });
  const [command, line] = programLine(context.root, PROGRAM, args);
  const child = spawn(command, line, {
    env: context.env as NodeJS.ProcessEnv,
    cwd: context.cwd,
    stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'pipe'],
  });
  child.stderr?.pipe(context.stderr, { end: false });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const pass = () => child.kill('SIGTERM');
  context.interrupted.addEventListener('abort', pass);
  try {
    await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  } finally {
    context.interrupted.removeEventListener('abort', pass);
  }
  if (context.interrupted.aborted) throw new CliError('interrupted', 'Interrupted; everything is stopped.');
  return reportOf(Buffer.concat(chunks).toString());
}

function reportOf(said: string): ProofReport {
  try {
    return JSON.parse(said) as ProofReport;
  } catch (cause) {
    throw new CliError('failed', 'The prover ended without a report.', {
      hint: 'weir doctor looks for what a platform needs on this machine.',
      cause,
    });
  }
}
