import { type Part, placeOf } from './part.ts';

/** What may stand in a manifest and does nothing here, by component and field, and what that means. */
export const WITHOUT_EFFECT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  HttpRequester: {
    use_cache: 'no answer is kept: a stream that others have as their parent is asked for again by each of them',
  },
  HTTPAPIBudget: {
    status_codes_for_ratelimit_hit: 'only its headers tell that a limit was hit; error_handler waits for what 429 says',
  },
};

/** A field that is taken and does nothing: where it stands, and what that means. */
export type Warning = { readonly pointer: string; readonly message: string };

/** The fields of a loaded manifest that do nothing here; each place once, however often it is referred to. */
export function warningsOf(manifest: Part): Warning[] {
  const found = new Map<string, Warning>();
  const look = (part: Part) => {
    for (const [field, message] of Object.entries(WITHOUT_EFFECT[part.type] ?? {})) {
      const value = part.fields[field];
      const pointer = placeOf(part, field);
      if (value !== undefined && value !== false)
        found.set(pointer, { pointer, message: `${field} does nothing here: ${message}` });
    }
    for (const parts of part.parts.values()) parts.forEach(look);
  };
  look(manifest);
  return [...found.values()];
}
