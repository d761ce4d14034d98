/** A request body that no route may take. */
export interface HostileDocument {
  what: string;
  /** The bytes; `canary` stands in each, and no answer may hold it. */
  body(canary: string): string | Buffer;
  /** The codes that may answer it. */
  codes: readonly string[];
}

/** A row for each body, all answered by the same code. */
export function hostile(code: string, bodies: Readonly<Record<string, HostileDocument['body']>>): HostileDocument[] {
  return Object.entries(bodies).map(([what, body]) => ({ what, body, codes: [code] }));
}

/** Text in other bytes than UTF-8. */
export const inBytes = (...parts: (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
