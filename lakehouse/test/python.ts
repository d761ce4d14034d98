import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Teardown } from './typed-table.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Runs each line, a script with its arguments, as a program of its own, and answers with the last line that it prints. */
const SESSION = `
import contextlib, io, json, sys
for line in sys.stdin:
  script, *arguments = json.loads(line)
  sys.argv = ['-c', *arguments]
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    exec(script, {'__name__': '__main__'})
  print(printed.getvalue().strip().split('\\n')[-1], flush=True)`;

type RunPython = (script: string, ...args: readonly string[]) => Promise<unknown>;

/** The Python that has PyIceberg, which `npm test` prepares. */
function interpreter(): string {
  const python = process.env.WEIR_TEST_PYTHON;
  if (python === undefined) throw new Error('WEIR_TEST_PYTHON is not set: run tests with npm test');
  return python;
}

/** Runs a script; what it prints last, as JSON. */
export const runPython: RunPython = async (script, ...args) => {
  const { stdout } = await promisify(execFile)(interpreter(), ['-c', script, ...args], { maxBuffer: MAX_OUTPUT_BYTES });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
};

/** Runs scripts one after another in one process, which imports each library once; it ends with the test. */
export function pythonSession(t: Teardown): RunPython {
  const child = spawn(interpreter(), ['-c', SESSION], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  t.teardown(() => {
    child.stdin.end();
    return closed;
  });
  return async (...asked) => {
    child.stdin.write(`${JSON.stringify(asked)}\n`);
    const { done, value } = await answers.next();
    if (done) throw new Error('The Python process has ended');
    return JSON.parse(value);
  };
}
