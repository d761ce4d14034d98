import type { StoreRole } from './wanted-rights.ts';

/** One thing that was looked at: what must hold and what does. None of it is a secret. */
export interface Fact {
  readonly of: StoreRole | 'mount' | 'roles';
  readonly fact: string;
  readonly wanted: string;
  readonly found: string;
  readonly status: 'ok' | 'fault';
}

export const fact = (of: Fact['of'], name: string, wanted: string, found: string, holds: boolean): Fact => ({
  ...{ of, fact: name, wanted, found },
  status: holds ? 'ok' : 'fault',
});

/** What the operator's token may not look at is not proved. */
export const unseen = (of: Fact['of'], name: string): Fact =>
  fact(of, name, 'readable by the operator', 'not there, or not allowed', false);
