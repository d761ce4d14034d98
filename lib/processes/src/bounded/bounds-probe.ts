// The program that tries from inside which bounds hold: it does what a statement of a user must not be able to do.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { ProbeFound, ProbePlan } from './proven-bounds.ts';

const works = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );

/** Resolves once something has come about, and rejects when it fails. */
function once(one: { once(event: string, then: (value: unknown) => void): unknown }, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    one.once(event, resolve);
    one.once('error', reject);
  });
}

process.once('message', async ({ shown, own, hidden, port }: ProbePlan) => {
  const found: ProbeFound = {
    readsShown: await works(readFile(shown)),
    writesOwn: await works(writeFile(`${own}/file`, '')),
    writesShown: await works(writeFile(`${shown}.more`, '')),
    readsHidden: await works(readFile(hidden)),
    connects: await works(once(connect(port, '127.0.0.1'), 'connect')),
    starts: await works(once(spawn(process.execPath, ['--version'], { stdio: 'ignore' }), 'spawn')),
  };
  process.send?.(found, () => process.exit());
});
process.on('disconnect', () => process.exit());
// Names and sockets are looked up by threads that a process has only from its first use of them.
await readFile(process.argv[1] ?? '');
process.send?.('begun');
