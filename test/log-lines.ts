import type { RunningPlatform } from '@weir/kernel/boot';
import { pino } from 'pino';

/** What the API of a test platform logs, a record for each line; `adapt` has the platform log there. */
export function logLines() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, adapt: (platform: RunningPlatform): RunningPlatform => ({ ...platform, log }) };
}
