/** Every way a command can end. `weir help exit-codes` prints this table; each code has a test. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'done; an empty list and a skipped run count as done' },
  failed: { code: 1, meaning: 'the operation failed' },
  usage: { code: 2, meaning: 'the command line is wrong; nothing was done' },
  refused: { code: 3, meaning: 'not signed in, or not allowed' },
  notFound: { code: 4, meaning: 'not found' },
  conflict: { code: 5, meaning: 'conflict with the present state; it may pass later' },
  invalid: { code: 6, meaning: 'the document or its values are invalid, or work is open that was to have ended' },
  differences: { code: 7, meaning: 'differences found, where a command was asked to tell by exit code' },
  cancelled: { code: 8, meaning: 'the run was cancelled' },
  mixed: { code: 9, meaning: 'several ids or files, with different results' },
  unreachable: { code: 69, meaning: 'the server, or a part it needs, does not answer' },
  bug: { code: 70, meaning: 'a bug in this program' },
  timedOut: { code: 124, meaning: 'the wait ended before the run did; the run goes on' },
  interrupted: { code: 130, meaning: 'interrupted; a run that was waited for goes on' },
} as const;

export type ExitName = keyof typeof EXIT_CODES;

/** The number of a named ending. */
export const exitCode = (name: ExitName): number => EXIT_CODES[name].code;

/**
 * The ending that an HTTP status of the API means. A 400 is an invalid document when a body was sent and a wrong
 * command line when it was not.
 */
export function exitOfStatus(status: number, sentBody: boolean): ExitName {
  if (status === 401 || status === 403) return 'refused';
  if (status === 404) return 'notFound';
  if (status === 409 || status === 412) return 'conflict';
  if (status === 503) return 'unreachable';
  if (status === 400 || status === 414 || status === 431) return sentBody ? 'invalid' : 'usage';
  if (status === 413 || status === 415 || status === 422) return 'invalid';
  return 'failed';
}

/** The ending that a run's terminal status means. */
export function exitOfRun(status: string): ExitName {
  if (status === 'succeeded' || status === 'skipped') return 'ok';
  return status === 'cancelled' ? 'cancelled' : 'failed';
}

/** The one ending of several: the common one, or `mixed`. */
export function exitOfSeveral(endings: readonly ExitName[]): ExitName {
  const first = endings[0] ?? 'ok';
  return endings.every((ending) => ending === first) ? first : 'mixed';
}
