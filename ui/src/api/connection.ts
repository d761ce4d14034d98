import { createContext, use } from 'react';
import type { Connection } from './ask.ts';

/** The connection of the signed-in person to the chosen tenant. */
export const ConnectionContext = createContext<Connection | undefined>(undefined);

export function useConnection(): Connection {
  const connection = use(ConnectionContext);
  if (connection === undefined) throw new Error('no connection above this component');
  return connection;
}
