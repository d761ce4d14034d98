import type { Static } from '@sinclair/typebox';
import type { RunFailure } from '@weir/kernel/contract';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';
import { exitCode, exitOfRun } from '../exit-codes.ts';

type Server = Pick<Api, 'url'>;

/** A run as far as its ending goes. */
export interface EndedRun {
  status: string;
  failure: Static<typeof RunFailure> | null;
}

/** The exit code of a run of this server that ended well; throws, with the reason of the run, for one that did not. */
export function finishRun(run: EndedRun, server: Server): number {
  const exit = exitOfRun(run.status);
  if (exit === 'ok') return exitCode('ok');
  throw runError(run, server);
}

/** Why a run did not end well, as an error with the page of its code. */
export function runError({ status, failure }: EndedRun, { url }: Server): CliError {
  const again = failure?.retryable ? 'It may pass when tried again.' : undefined;
  return new CliError(exitOfRun(status), failure?.detail ?? `The run ended ${status}.`, {
    code: failure?.code ?? `run_${status}`,
    ...(failure === null ? {} : { docs: new URL(`/docs/errors/${failure.code}`, url).href }),
    ...((failure?.hint ?? again) ? { hint: failure?.hint ?? again ?? '' } : {}),
    ...(failure?.next === undefined ? {} : { next: failure.next }),
  });
}
