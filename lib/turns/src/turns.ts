/** Who asks for a turn. */
export interface Taker {
  tenant: string;
  /** Within the tenant; the same text of two tenants is two callers. */
  caller: string;
}

/** The clock of waits and of what was lately; a test moves one by hand. */
export interface TurnsClock {
  now(): number;
  /** Calls back once, unless the answer is called before. */
  after(ms: number, call: () => void): () => void;
}

export interface TurnsOptions {
  /** Turns that are taken at the same time. */
  slots: number;
  /** Turns of one tenant, and of one caller of it, at the same time. */
  perTenant: number;
  perCaller: number;
  /** The two bounds above hold only while somebody else has asked within so many milliseconds; always unless set. */
  whileOthersMs?: number;
  /** Those of one tenant, and of one caller of it, that may wait. */
  maxWaiting: number;
  maxWaitingOfCaller: number;
  maxWaitMs: number;
  clock?: TurnsClock;
}

/** No turn was had: too many of the same tenant wait already, or it took too long. */
export class TurnRefused extends Error {
  override readonly name = 'TurnRefused';
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super('No turn was free');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Turns of what tenants share. */
export interface Turns {
  /** Resolves with what gives the turn back. Throws `TurnRefused`, and the reason of the signal once that is aborted. */
  take(who: Taker, how?: Waiting): Promise<() => void>;
}

/** How somebody waits. */
export interface Waiting {
  /** Asked for only where there is no turn at once. */
  signal?: () => AbortSignal;
  /** Is never refused: what it does is half done. */
  isUnderWay?: boolean;
}

/** One who asked: a tenant, or a caller of it. */
interface Party {
  held: number;
  waiting: number;
  askedAt: number;
}

interface Tenant extends Party {
  readonly id: string;
  /** By name; those behind were served longer ago. */
  readonly callers: Map<string, Caller>;
}

interface Caller extends Party {
  readonly tenant: Tenant;
  readonly name: string;
  readonly line: Set<() => void>;
}

const clockOfProcess: TurnsClock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Hands out turns: round robin over tenants, within a tenant over callers, within a caller in the order of asking. Among k
 * waiting tenants each is served within k turns; whoever floods waits or is refused, and nobody else.
 */
export function createTurns(options: TurnsOptions): Turns {
  const { slots, perTenant, perCaller, whileOthersMs, maxWaiting, maxWaitingOfCaller, maxWaitMs } = options;
  const { clock = clockOfProcess } = options;
  /** Whoever holds, waits or asked lately, in the order in which they are to be served. */
  const tenants = new Map<string, Tenant>();
  let free = slots;
  let forgotAt = Number.NEGATIVE_INFINITY;

  const isLately = ({ askedAt }: Party) => whileOthersMs === undefined || clock.now() - askedAt < whileOthersMs;
  const isOnly = (self: Party, all: ReadonlyMap<string, Party>): boolean =>
    whileOthersMs !== undefined && (all.size === 1 || !all.values().some((one) => one !== self && isLately(one)));
  const mayHold = (caller: Caller): boolean => {
    const { tenant } = caller;
    if (free === 0) return false;
    const isInTenant = caller.held < perCaller || isOnly(caller, tenant.callers);
    return isInTenant && (tenant.held < perTenant || isOnly(tenant, tenants));
  };

  const asking = ({ tenant: id, caller: name }: Taker): Caller => {
    const none = { held: 0, waiting: 0, askedAt: clock.now() };
    const tenant = tenants.get(id) ?? { ...none, id, callers: new Map() };
    const caller = tenant.callers.get(name) ?? { ...none, tenant, name, line: new Set() };
    tenants.set(id, tenant);
    tenant.callers.set(name, caller);
    tenant.askedAt = none.askedAt;
    caller.askedAt = none.askedAt;
    return caller;
  };
  /** Whoever is served goes behind all others. */
  const hold = (caller: Caller): void => {
    const { tenant } = caller;
    free -= 1;
    caller.held += 1;
    tenant.held += 1;
    toEnd(tenant.callers, caller.name, caller);
    toEnd(tenants, tenant.id, tenant);
  };
  const isIdle = (one: Party) => one.held === 0 && one.waiting === 0 && (whileOthersMs === undefined || !isLately(one));
  /** Forgets who has nothing here any more; not at every turn, since it looks at all. */
  const forget = (): void => {
    const now = clock.now();
    if (now - forgotAt < (whileOthersMs ?? 0)) return;
    forgotAt = now;
    for (const { id, callers } of tenants.values()) {
      for (const caller of callers.values()) if (isIdle(caller)) callers.delete(caller.name);
      if (callers.size === 0) tenants.delete(id);
    }
  };
  const next = (): (() => void) | undefined => {
    for (const tenant of tenants.values()) {
      if (tenant.waiting === 0) continue;
      for (const caller of tenant.callers.values()) {
        const [grant] = caller.line;
        if (grant !== undefined && mayHold(caller)) return grant;
      }
    }
    return undefined;
  };
  const giveBack = (caller: Caller) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free += 1;
      caller.held -= 1;
      caller.tenant.held -= 1;
      for (let grant = next(); grant !== undefined; grant = next()) grant();
      forget();
    };
  };
  const wait = (caller: Caller, { signal: signalOf, isUnderWay }: Waiting): Promise<void> =>
    new Promise((resolve, reject) => {
      const signal = signalOf?.();
      if (signal?.aborted) return reject(signal.reason);
      const count = (by: number): void => {
        caller.waiting += by;
        caller.tenant.waiting += by;
      };
      const leave = (): void => {
        cancel();
        signal?.removeEventListener('abort', gone);
        caller.line.delete(grant);
        count(-1);
      };
      const refuse = (error: unknown) => {
        leave();
        reject(error);
      };
      const gone = () => refuse(signal?.reason);
      const grant = () => {
        leave();
        hold(caller);
        resolve();
      };
      const late = () => refuse(new TurnRefused(Math.ceil(maxWaitMs / 1_000)));
      const cancel = isUnderWay ? () => undefined : clock.after(maxWaitMs, late);
      signal?.addEventListener('abort', gone, { once: true });
      caller.line.add(grant);
      count(1);
    });

  return {
    async take(who, how = {}) {
      const caller = asking(who);
      const isFull = caller.tenant.waiting >= maxWaiting || caller.waiting >= maxWaitingOfCaller;
      // Whoever of the same caller came before goes before.
      if (caller.waiting === 0 && mayHold(caller)) hold(caller);
      else if (isFull && !how.isUnderWay) throw new TurnRefused(1);
      else await wait(caller, how);
      return giveBack(caller);
    },
  };
}

function toEnd<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
}
