/** Where a test file finds the platform that test files share; `test/shared-platform.ts` prints it as JSON. */
export interface SharedPlatformPlaces {
  /** The API whose runs a worker carries out. */
  url: string;
  /** The same API, on queues that have no worker. */
  idleUrl: string;
  /** Makes tenants and signs tokens. */
  controlUrl: string;
  /** The database, as superuser. */
  databaseUrl: string;
  /** Environment of every process of the platform. */
  environment: Record<string, string>;
  /** Ports on 127.0.0.1 that its connectors may reach. */
  ports: number[];
}

/** Names the variable; who reads it has the runner start the platform. */
export const SHARED_PLATFORM_VARIABLE = 'WEIR_TEST_PLATFORM';

/** The places of the running platform. @throws without one */
export function sharedPlatformPlaces(): SharedPlatformPlaces {
  const places = process.env.WEIR_TEST_PLATFORM;
  if (places === undefined) throw new Error(`${SHARED_PLATFORM_VARIABLE} is not set: run tests with npm test`);
  return JSON.parse(places) as SharedPlatformPlaces;
}
