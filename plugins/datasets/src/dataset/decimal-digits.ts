/** A counter of a snapshot's summary as it stands there; other writers may leave it out or write something else. */
export function decimalDigits(text: string | undefined): string | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? text : undefined;
}
