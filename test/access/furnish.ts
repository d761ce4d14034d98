import { furnishTenant } from '../deployed-examples.ts';
import { apiOf, type Ids } from '../examples.ts';
import { startWorker } from '../worker-process.ts';
import type { MatrixPlatform } from './matrix-platform.ts';

/** Gives each tenant one of everything that a path can name, by a worker that is gone when this returns. */
export async function furnish({ world, mount }: MatrixPlatform, aliases: readonly string[]): Promise<Ids[]> {
  const ends: (() => unknown)[] = [];
  const environment = { ...world.environment, ...mount?.environment('worker') };
  const worker = await startWorker({ teardown: (end) => void ends.push(end) }, environment);
  try {
    return await Promise.all(
      aliases.map(async (tenant) => {
        const caller = { url: world.api.url, token: await world.token(tenant), tenant };
        return furnishTenant({ ...caller, api: apiOf(caller), isVaulted: mount !== undefined });
      }),
    );
  } finally {
    await worker.end('SIGTERM');
    for (const end of ends) await end();
  }
}
