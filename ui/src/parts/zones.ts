/** The zone of this browser. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Every time zone, with those that the browser does not list itself. */
export const allZones = (...also: string[]): string[] => [
  ...new Set([...also, OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')]),
];
