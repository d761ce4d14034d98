import type { Teardown } from '@weir/kernel/testing';

/** A server that is started again where it was; `now` is the one that runs. */
export interface Kept<S> {
  now: S;
  restart(): Promise<void>;
}

/** Starts a server. Whichever start of it runs then goes with the test, also when another server never starts. */
export async function kept<S extends { port: number; stop(): Promise<unknown> }>(
  t: Teardown,
  start: (port?: number) => Promise<S>,
): Promise<Kept<S>> {
  const server: Kept<S> = {
    now: await start(),
    async restart() {
      server.now = await start(server.now.port);
    },
  };
  t.teardown(() => server.now.stop());
  return server;
}
