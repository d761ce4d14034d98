import { CliError } from '../cli-error.ts';
import { exitCode, exitOfRun } from '../exit-codes.ts';

/** A run as far as its ending goes. */
export interface EndedRun {
  status: string;
  failure: { code: string; detail: string; hint: string | null; origin: string; retryable: boolean } | null;
}

/** The exit code of a run that ended well; throws, with the reason of the run, for one that did not. */
export function finishRun(run: EndedRun): number {
  const exit = exitOfRun(run.status);
  if (exit === 'ok') return exitCode('ok');
  throw runError(run);
}

/** Why a run did not end well, as an error. */
export function runError({ status, failure }: EndedRun): CliError {
  const again = failure?.retryable ? 'It may pass when tried again.' : undefined;
  return new CliError(exitOfRun(status), failure?.detail ?? `The run ended ${status}.`, {
    code: failure?.code ?? `run_${status}`,
    ...((failure?.hint ?? again) ? { hint: failure?.hint ?? again ?? '' } : {}),
  });
}
