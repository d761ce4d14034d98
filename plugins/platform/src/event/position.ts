/** A place in the order of hints: the transaction that wrote them, then the event. 64 bits each. */
export interface Position {
  xid: bigint;
  eventId: bigint;
}

const MAX_XID = 2n ** 64n - 1n;
const MAX_EVENT_ID = 2n ** 63n - 1n;

/** Reads `<xid>-<event_id>`; undefined for what is no place. */
export function parsePosition(text: string): Position | undefined {
  const [, xid, eventId] = /^(0|[1-9][0-9]{0,19})-(0|[1-9][0-9]{0,18})$/.exec(text) ?? [];
  if (xid === undefined || eventId === undefined) return undefined;
  const found = { xid: BigInt(xid), eventId: BigInt(eventId) };
  return found.xid <= MAX_XID && found.eventId <= MAX_EVENT_ID ? found : undefined;
}

/** The text form, which `parsePosition` reads. */
export function positionText({ xid, eventId }: Position): string {
  return `${xid}-${eventId}`;
}

/** Whether `a` lies behind `b`. */
export function isBehind(a: Position, b: Position): boolean {
  return a.xid === b.xid ? a.eventId > b.eventId : a.xid > b.xid;
}
