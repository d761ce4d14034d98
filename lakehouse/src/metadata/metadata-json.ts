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

function parseSlowly(text: string): unknown {
  const reviver = (key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || !context?.source || !/^-?\d+$/.test(context.source)) return value;
    return isLongMember(key) || !Number.isSafeInteger(value) ? BigInt(context.source) : value;
  };
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

// Inside of a string every quote has a backslash, so what follows this pattern's first quote is a member's name.
const LONG_MEMBER = /(?<!\\)"((?:[\w.-]*-)?(?:snapshot-id|sequence-number))"\s*:\s*(-?\d+)(?=[\s,}])/g;
/** Digits, outside of strings at least, that a double may not hold. */
const LONG_NUMBER = /[:[,]\s*-?\d{16}/;
/** Begins the text that stands for a long between the two steps of parsing; JSON spells it with a backslash. */
const MARK = '\u0000';
const MARK_TEXT = '\\u0000';

function restoreLongs(node: object): void {
  if (Array.isArray(node)) {
    for (const item of node) if (typeof item === 'object' && item !== null) restoreLongs(item);
    return;
  }
  const members = node as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (typeof value === 'object' && value !== null) restoreLongs(value);
    else if (typeof value === 'string' && value[0] === MARK) members[name] = BigInt(value.slice(1));
  }
}

/**
 * Parses JSON; an integer that a double cannot hold, and every snapshot id or sequence number, becomes a bigint. The
 * metadata of a thousand snapshots takes a third of the time that a reviver would: longs go through the parser as
 * texts. Where that could be mistaken for something else, a reviver does it.
 */
export function parseExact(text: string): unknown {
  if (text.includes(MARK_TEXT)) return parseSlowly(text);
  const marked = text.replace(LONG_MEMBER, `"$1":"${MARK_TEXT}$2"`);
  if (LONG_NUMBER.test(marked)) return parseSlowly(text);
  const parsed: unknown = JSON.parse(marked);
  if (typeof parsed === 'object' && parsed !== null) restoreLongs(parsed);
  return parsed;
}

/** The bytes of a list's items as far as they were made, commas between them; there is room behind them. */
type ListBytes = { items: readonly unknown[]; bytes: Buffer; length: number };

// The snapshots of a table are the same objects from one commit to the next, and nearly all of its metadata. What was
// made of a list is kept by its last item, so it goes when nobody has the table's state any more.
const made = new WeakMap<object, ListBytes>();
const isObject = (item: unknown): item is object => typeof item === 'object' && item !== null;

/** What was made of a beginning of this list: all of it, or all but what one commit adds. */
function takeMade(items: readonly unknown[]): ListBytes | undefined {
  for (const last of [items.at(-1), items.at(-2)]) {
    const known = isObject(last) ? made.get(last) : undefined;
    if (known?.items.every((item, at) => item === items[at])) {
      made.delete(last as object);
      return known;
    }
  }
  return undefined;
}

function bytesOfList(items: readonly unknown[]): Buffer {
  const known = takeMade(items) ?? { items: [], bytes: Buffer.alloc(0), length: 0 };
  const added = items.slice(known.items.length).map(stringifyExact).join(',');
  const text = known.length > 0 && added !== '' ? `,${added}` : added;
  const length = known.length + Buffer.byteLength(text);
  let { bytes } = known;
  if (length > bytes.length) {
    bytes = Buffer.allocUnsafeSlow(known.items.length > 0 ? length * 2 : length);
    known.bytes.copy(bytes, 0, 0, known.length);
  }
  bytes.write(text, known.length);
  const last = items.at(-1);
  if (isObject(last)) made.set(last, { items, bytes, length });
  return bytes.subarray(0, length);
}

/**
 * A metadata file, as `stringifyExact` spells it. What stands in its lists is never changed, so of a list that grew
 * only what came is spelled.
 */
export function stringifyMetadata(metadata: Readonly<Record<string, unknown>>): Buffer {
  const parts: Buffer[] = [];
  let text = '';
  for (const [name, value] of Object.entries(metadata)) {
    if (value === undefined) continue;
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:`;
    if (Array.isArray(value)) {
      parts.push(Buffer.from(`${text}[`), bytesOfList(value));
      text = ']';
    } else text += stringifyExact(value);
  }
  return Buffer.concat([...parts, Buffer.from(`${text === '' ? '{' : text}}`)]);
}
