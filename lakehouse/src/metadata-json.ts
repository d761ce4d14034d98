// Ids and sequence numbers are always bigint, whatever their size, so that no code meets them as two types.
const isLongMember = (key: string): boolean => /(^|-)(snapshot-id|sequence-number)$/.test(key);

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** JSON text in which every bigint is a plain integer, digit for digit. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member,
  );
}

/** Parses JSON; an integer that a double cannot hold, and every snapshot id or sequence number, becomes a bigint. */
export function parseExact(text: string): unknown {
  const reviver = (key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || !context?.source || !/^-?\d+$/.test(context.source)) return value;
    return isLongMember(key) || !Number.isSafeInteger(value) ? BigInt(context.source) : value;
  };
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

// The snapshots of a table are the same objects from one commit to the next, and nearly all of its metadata.
const texts = new WeakMap<object, string>();

function textOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return stringifyExact(item);
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = stringifyExact(item);
  texts.set(item, text);
  return text;
}

/**
 * A metadata file, as `stringifyExact` spells it. What stands in its lists is never changed, so its text is made once
 * for all files that hold it.
 */
export function stringifyMetadata(metadata: Readonly<Record<string, unknown>>): Buffer {
  const members = Object.entries(metadata)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = Array.isArray(value) ? `[${value.map(textOf).join(',')}]` : stringifyExact(value);
      return `${JSON.stringify(name)}:${text}`;
    });
  return Buffer.from(`{${members.join(',')}}`);
}
