import { rm } from 'node:fs/promises';
import { SERVICES, type ServiceContext, type ServiceName, type StartedService } from './service-table.ts';

/** The services of a run; each starts when it is first needed. */
export interface TestServices {
  /** The variables of the services started so far; `service-table.ts` names them. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Starts these services, and what they need, side by side; resolves with their variables. */
  start(...names: readonly ServiceName[]): Promise<Readonly<Record<string, string>>>;
  /** The variables of the service that owns `variable`, started if it is not yet; nothing for an unknown one. */
  need(variable: string): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

async function makeFolder(): Promise<string> {
  const { serverFolder } = await import('@weir/embedded/testing');
  return serverFolder('weir-test-', { inMemory: true });
}

/** What most programs need: database, workflow engine, object store and independent readers. */
export const USUAL_SERVICES: readonly ServiceName[] = ['postgres', 'workflow engine', 'object store', 'readers'];

/**
 * Services of a test run, none started yet. A variable that `env` already holds is taken as it is. Their data lie in one
 * temporary folder, in memory where there is plenty; `stop` removes it.
 */
export function testServices(env: NodeJS.ProcessEnv, say: (line: string) => void): TestServices {
  const addresses: Record<string, string> = {};
  const starts = new Map<ServiceName, Promise<Readonly<Record<string, string>>>>();
  const started: StartedService[] = [];
  let folder: Promise<string> | undefined;
  let stopped = false;
  const context: ServiceContext = {
    folder: () => (folder ??= makeFolder()),
    need,
  };
  async function launch(name: ServiceName): Promise<Readonly<Record<string, string>>> {
    const { variables, start } = SERVICES[name];
    const given = variables.filter((variable) => env[variable] !== undefined);
    if (given.length > 0) return Object.fromEntries(given.map((variable) => [variable, env[variable] as string]));
    const service: StartedService = await start(context);
    if (stopped) await service.stop?.();
    else started.push(service);
    Object.assign(addresses, service.addresses);
    say(`  ${service.missing === undefined ? '✓' : '-'} ${name}: ${service.missing ?? service.about}`);
    return service.addresses;
  }
  function one(name: ServiceName) {
    let start = starts.get(name);
    if (start === undefined) {
      start = launch(name);
      starts.set(name, start);
    }
    return start;
  }
  async function need(variable: string): Promise<Readonly<Record<string, string>>> {
    const names = Object.keys(SERVICES) as ServiceName[];
    const name = names.find((each) => (SERVICES[each].variables as readonly string[]).includes(variable));
    return name === undefined ? {} : one(name);
  }
  return {
    addresses,
    need,
    start: async (...names) => Object.assign({}, ...(await Promise.all(names.map(one)))),
    async stop() {
      stopped = true;
      await Promise.allSettled(starts.values());
      const stopAll = (some: readonly StartedService[]) => Promise.allSettled(some.map((service) => service.stop?.()));
      await stopAll(started.filter(({ dependent }) => dependent));
      await stopAll(started.filter(({ dependent }) => !dependent));
      if (folder !== undefined) await rm(await folder, { recursive: true, force: true });
    },
  };
}

/** Starts `names` and gives them with their `stop`; what has been started is stopped again when one fails. */
export async function startServices(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  names: readonly ServiceName[] = USUAL_SERVICES,
): Promise<Pick<TestServices, 'addresses' | 'stop'>> {
  const services = testServices(env, say);
  try {
    await services.start(...names);
    return services;
  } catch (fault) {
    await services.stop();
    throw fault;
  }
}
