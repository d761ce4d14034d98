/** The zone of this browser. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Every time zone, with those that the browser does not list itself. */
export const allZones = (...also: string[]): string[] => [
  ...new Set([...also, OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')]),
];

const wallClock = (at: number, zone: string): string =>
  new Date(at).toLocaleString('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).replace(' ', 'T');

/** `YYYY-MM-DDTHH:MM` by the clocks of a zone; empty for no time. */
export const wallOf = (instant: string | undefined, zone: string): string => {
  const at = Date.parse(instant ?? '');
  return Number.isNaN(at) ? '' : wallClock(at, zone);
};

/** The instant at which the clocks of a zone show a time; empty for no time. */
export function instantOf(wall: string, zone: string): string {
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc)) return '';
  const late = (at: number) => Date.parse(`${wallClock(at, zone)}Z`) - at;
  // Around a change of the clocks the first offset may be that of the other side.
  return new Date(asUtc - late(asUtc - late(asUtc))).toISOString();
}
