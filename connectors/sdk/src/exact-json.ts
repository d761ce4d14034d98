/**
 * Parses JSON and keeps every number that a double cannot carry as its source text, so that
 * `JSON.stringify(parseExact(text))` gives the same numbers back. Throws SyntaxError on text that is not JSON.
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : jsonWithRaw.rawJSON(context.source);
  });
}

/** `JSON.rawJSON` is in Node since 21; the library types do not name it yet. */
const jsonWithRaw = JSON as typeof JSON & { rawJSON(text: string): unknown };
