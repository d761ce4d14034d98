import type { Value } from '../template/value.ts';
import { put } from './row.ts';

/** How deep elements may lie in each other. */
const MAX_DEPTH = 256;
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
);
/** A comment, an instruction, a CDATA section, a tag, or text. */
const PIECE =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([^\s/>!?]+)((?:"[^"]*"|'[^']*'|[^"'>])*?)(\/?)>|([^<]+)/y;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

type Element = { readonly name: string; readonly members: Record<string, Value>; text: string };

/**
 * An XML document as the reference reads it: an element is its text, or its members; attributes are members with `@` before
 * their names, text beside members is `#text`, elements of one name are a list, and an empty element is null. All values are
 * text. SyntaxError for what is no such document, and for a document type: there are no entities but the five of XML.
 */
export function parseXml(source: string): Value {
  const root: Element = { name: '', members: {}, text: '' };
  const open: Element[] = [root];
  const text = source.replace(/^\ufeff/, '');
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.length) {
    const match = PIECE.exec(text);
    if (match === null) throw new SyntaxError('this is no XML, or has a document type');
    const [, cdata, end, name, attributes = '', closed, plain] = match;
    const at = open.at(-1) ?? root;
    if (cdata !== undefined) at.text += cdata;
    else if (plain !== undefined) at.text += unescaped(plain);
    else if (name !== undefined && end === '/') close(open, name);
    else if (name !== undefined) {
      if (open.length > MAX_DEPTH) throw new SyntaxError('elements lie too deep');
      open.push({ name, members: attributesOf(attributes), text: '' });
      if (closed === '/') close(open, name);
    }
  }
  if (open.length !== 1 || Object.keys(root.members).length !== 1) throw new SyntaxError('an element is not closed');
  return root.members;
}

function close(open: Element[], name: string): void {
  const element = open.pop();
  const parent = open.at(-1);
  if (element?.name !== name || parent === undefined) throw new SyntaxError('an element is closed that is not open');
  const value = contentOf(element);
  const held = Object.hasOwn(parent.members, name) ? parent.members[name] : undefined;
  if (Array.isArray(held)) held.push(value);
  else put(parent.members, name, held === undefined ? value : [held, value]);
}

function contentOf({ members, text }: Element): Value {
  const trimmed = text.trim();
  if (Object.keys(members).length === 0) return trimmed === '' ? null : trimmed;
  return trimmed === '' ? members : { ...members, '#text': trimmed };
}

function attributesOf(text: string): Record<string, Value> {
  const members = {};
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE))
    put(members, `@${name}`, unescaped(double ?? single ?? ''));
  return members;
}

function unescaped(text: string): string {
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w+);/g, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED.get(name) ?? whole;
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
