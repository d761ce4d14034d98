const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Clocks stay for longer than this between two changes. */
const SCAN_STEP_MS = 3 * DAY_MS;

const formats = new Map<string, Intl.DateTimeFormat>();
const changesOf = new Map<string, { day: number; changes: readonly ClockShift[] }>();

/** A moment at which the clocks of a zone are moved; offsets are minutes east of UTC. */
export interface ClockShift {
  at: number;
  before: number;
  after: number;
}

/** Whether this is a time zone by name; a bare offset is none. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Minutes that the clocks of a zone are ahead of UTC at an instant in milliseconds. */
export function offsetAt(zone: string, at: number): number {
  return Math.round((wallClock(zone, at) - Math.floor(at / MINUTE_MS) * MINUTE_MS) / MINUTE_MS);
}

/** What the clocks of a zone show at an instant, to the minute, as if it were UTC. */
export function wallClock(zone: string, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** The changes of the clocks of a zone within `days` from an instant on, oldest first. Kept for the day. */
export function clockShifts(zone: string, from: number, days: number): readonly ClockShift[] {
  const day = Math.floor(from / DAY_MS);
  const key = `${zone.toLowerCase()} ${days}`;
  const known = changesOf.get(key);
  if (known?.day === day) return known.changes;
  const changes: ClockShift[] = [];
  const end = day * DAY_MS + days * DAY_MS;
  for (let at = day * DAY_MS, before = offsetAt(zone, at); at < end; at += SCAN_STEP_MS) {
    const after = offsetAt(zone, at + SCAN_STEP_MS);
    if (after !== before) changes.push({ at: momentOf(zone, at, at + SCAN_STEP_MS), before, after });
    before = after;
  }
  changesOf.set(key, { day, changes });
  return changes;
}

/** The first minute of the later offset, between an instant of one and an instant of another. */
function momentOf(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from);
  let [low, high] = [from, to];
  while (high - low > MINUTE_MS) {
    const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const key = zone.toLowerCase();
  const known = formats.get(key);
  if (known !== undefined) return known;
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...numeric });
  formats.set(key, made);
  return made;
}
