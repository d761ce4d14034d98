import pg, { type ClientConfig } from 'pg';
import { databaseError } from './errors.ts';

/** The server ends a session that is silent for so long, so that no lock stays with a process that vanished. */
const IDLE_SESSION_MS = 60_000;
/** Longer than its statement may take on a server that lives. */
const ANSWER_MS = 20_000;

/** Locks of one connection: a process that has one keeps it until it closes or loses its connection. */
export interface SessionLocks {
  /** Whether this process has the lock, which it takes when it is free. */
  holds(name: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Advisory locks on a connection of their own, which opens with the first and again after a loss. */
export function sessionLocks(connection: ClientConfig): SessionLocks {
  const options = `-c idle_session_timeout=${IDLE_SESSION_MS}`;
  const pool = new pg.Pool({ ...connection, options, query_timeout: ANSWER_MS, max: 1, idleTimeoutMillis: 0 });
  // The locks are lost with the connection; the next `holds` opens another one.
  pool.on('error', () => undefined);
  return {
    async holds(name) {
      try {
        const { rows } = await pool.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [name]);
        return rows[0].held === true;
      } catch (error) {
        throw databaseError(error);
      }
    },
    close: () => pool.end(),
  };
}
