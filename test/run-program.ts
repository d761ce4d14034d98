import { type ExecFileException, execFile } from 'node:child_process';

/** How a program has ended, and what it has said on both of its channels; the code is NaN when there is no such program. */
export interface Outcome {
  readonly code: number;
  readonly text: string;
}

/** Runs a program to its end, whatever that is. */
export function runProgram(command: string, args: readonly string[], env = process.env): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  execFile(command, args, { env }, (fault: ExecFileException | null, stdout, stderr) =>
    resolve({ code: fault === null ? 0 : Number(fault.code), text: `${stdout}${stderr}` }),
  );
  return promise;
}
