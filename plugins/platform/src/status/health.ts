import type { Kernel, PlatformService } from '@weir/kernel';
import type { ServiceHealthView } from '../contract.ts';

/** A part that has not answered by then counts as down. */
const CHECK_LIMIT_MS = 2_000;
/** Checks that go on at the same time. */
const MAX_PARALLEL = 4;
/** However many ask, parts are checked no more often than this. */
const REMEMBERED_MS = 1_000;

export interface HealthDeps {
  checks: PlatformService['healthChecks'];
  log: Kernel['log'];
  now?: () => number;
  limitMs?: number;
}

/** What the parts of the platform answered last. */
export interface HealthMonitor {
  parts(): Promise<ServiceHealthView[]>;
}

/** What is known of one part. `asked` is a check that has not answered yet: it is not asked twice. */
interface Part {
  up: boolean;
  since: number | undefined;
  asked: Promise<boolean> | undefined;
}

type HealthCheck = ReturnType<PlatformService['healthChecks']>[number];

/**
 * Asks every part, a few at a time, each for a bounded time; what throws or stays silent is down. Why goes to the log,
 * once for each change, and nowhere else.
 */
export function healthMonitor({ checks, log, now = Date.now, limitMs = CHECK_LIMIT_MS }: HealthDeps): HealthMonitor {
  const known = new Map<string, Part>();
  let last: { endedAt: number; parts: Promise<ServiceHealthView[]> } | undefined;
  const partOf = (name: string): Part => {
    const part = known.get(name) ?? { up: true, since: undefined, asked: undefined };
    known.set(name, part);
    return part;
  };
  const stateOf = async ({ name, check }: HealthCheck): Promise<ServiceHealthView> => {
    const part = partOf(name);
    part.asked ??= (async () => check())().finally(() => {
      part.asked = undefined;
    });
    const { up, reason } = await within(part.asked, limitMs);
    const at = now();
    if (part.up !== up) log.warn({ part: name, up, err: reason }, up ? 'a part answers again' : 'a part is down');
    if (part.up !== up || part.since === undefined) part.since = at;
    part.up = up;
    return { name, status: up ? 'up' : 'down', since: iso(part.since), checked_at: iso(at) };
  };
  const checkAll = async () => {
    const asked = checks();
    const parts: ServiceHealthView[] = [];
    for (let from = 0; from < asked.length; from += MAX_PARALLEL) {
      parts.push(...(await Promise.all(asked.slice(from, from + MAX_PARALLEL).map(stateOf))));
    }
    return parts;
  };
  return {
    parts() {
      if (last === undefined || now() - last.endedAt >= REMEMBERED_MS) {
        const round = { endedAt: Number.POSITIVE_INFINITY, parts: checkAll() };
        last = round;
        const end = () => {
          round.endedAt = now();
        };
        round.parts.then(end, end);
      }
      return last.parts;
    },
  };
}

const iso = (time: number) => new Date(time).toISOString();

/** Never rejects: a check that throws, or that is silent for too long, is an answer too. */
async function within(check: Promise<boolean>, limitMs: number): Promise<{ up: boolean; reason?: unknown }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ up: boolean; reason: unknown }>((resolve) => {
    timer = setTimeout(() => resolve({ up: false, reason: new Error('no answer in time') }), limitMs);
  });
  const answered = check.then(
    (up) => ({ up }),
    (reason: unknown) => ({ up: false, reason }),
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
