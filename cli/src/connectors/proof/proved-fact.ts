/** One statement of a proof. `unknown`: it could not be seen from here, which proves nothing. */
export interface ProvedFact {
  role: string;
  fact: string;
  status: 'held' | 'broken' | 'unknown';
  found: string;
}

/** A statement of one role that was looked at. */
export function fact(role: string, words: string, isHeld: boolean | 'unknown', found: string): ProvedFact {
  return { role, fact: words, status: isHeld === 'unknown' ? 'unknown' : isHeld ? 'held' : 'broken', found };
}
