import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Written by `npm run services` while its services are up. */
export const SERVICES_FILE = path.resolve(import.meta.dirname, '../.weir/test-services.json');

export interface StandingServices {
  readonly pid: number;
  readonly addresses: Readonly<Record<string, string>>;
}

/** The services that `npm run services` keeps up; undefined when it does not run. */
export function readStandingServices(): StandingServices | undefined {
  try {
    const standing = JSON.parse(readFileSync(SERVICES_FILE, 'utf8')) as StandingServices;
    process.kill(standing.pid, 0);
    return standing;
  } catch {
    return undefined;
  }
}
