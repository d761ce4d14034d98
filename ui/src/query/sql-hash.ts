const NAME = 'sql=';

/** A statement as the fragment of an address, which no server is sent. */
export const sqlHash = (sql: string): string => `${NAME}${encodeURIComponent(sql)}`;

/** The statement of a fragment; undefined for a fragment without one. */
export function sqlOfHash(hash: string): string | undefined {
  const at = hash.indexOf(NAME);
  if (at < 0) return undefined;
  try {
    return decodeURIComponent(hash.slice(at + NAME.length));
  } catch {
    return undefined;
  }
}
