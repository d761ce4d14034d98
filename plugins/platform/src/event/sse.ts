import { type Position, positionText } from './position.ts';
import type { PlacedHint } from './store.ts';

/** How soon a client comes back when its stream has ended. */
const RETRY_MS = 2_000;

/** The beginning of a stream: when to come back, and the place to come back to before any hint has come. */
export function openingText(at: Position): string {
  return `retry: ${RETRY_MS}\n${placeText(at)}`;
}

/** One hint as a server-sent event; none of its parts can hold a line break once it is JSON. */
export function hintText({ at, topic, id, version }: PlacedHint): string {
  return `id: ${positionText(at)}\ndata: ${JSON.stringify({ topic, id, version })}\n\n`;
}

/** Says that hints were missed: what is shown must be read again. */
export function resetText(at: Position): string {
  return `event: reset\nid: ${positionText(at)}\ndata: {}\n\n`;
}

/** Keeps the connection alive; an id without data moves the client's place and dispatches nothing. */
export function placeText(at: Position): string {
  return `:\nid: ${positionText(at)}\n\n`;
}
