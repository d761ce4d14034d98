import { EXIT_REFUSED, Refusal } from './refusal.ts';

/**
 * Ends a process that could not start: one JSON line on stderr, exit 78 for a refusal and 70 for a fault of ours.
 * No port has been opened by then.
 */
export function refuseToStart(error: unknown): never {
  const refused = error instanceof Refusal;
  const line = refused
    ? { level: 'fatal', msg: error.message, faults: error.faults }
    : { level: 'fatal', msg: (error as Error).message, stack: (error as Error).stack };
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
  process.exit(refused ? EXIT_REFUSED : 70);
}
