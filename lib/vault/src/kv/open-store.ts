import { createExchange } from './exchange.ts';
import { kvSecretStore } from './kv-secret-store.ts';
import { logIn, type RoleIdentity } from './login.ts';
import { provedStore } from './prove-mount.ts';
import { storeSession } from './session.ts';

export interface StorePlace {
  /** Base address of the server. */
  readonly origin: URL;
  /** Certificates in PEM; the system's authorities when absent. */
  readonly ca?: string;
  readonly mount: string;
  readonly identity: RoleIdentity;
}

/** Joins the parts of the store's client; nothing is asked before the first call. */
export function openStore({ mount, identity, ...server }: StorePlace): ReturnType<typeof provedStore> {
  const exchange = createExchange(server);
  const session = storeSession({
    logIn: () => logIn(exchange, identity),
    now: () => performance.now(),
    random: Math.random,
  });
  return provedStore(kvSecretStore({ exchange, session, mount }));
}
