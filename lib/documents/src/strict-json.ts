import { parse } from 'lossless-json';
import { DocumentFault } from './document-fault.ts';

/** Levels of objects and arrays that a body may nest. */
export const MAX_DEPTH = 64;
/** Values of one body; more of them take the parser longer than others may be kept waiting. */
const MAX_VALUES = 40_000;
/** Keys that reach a prototype. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses a request body: one JSON document in UTF-8, no key repeated with another value, depth at most 64, no number that
 * a double cannot hold exactly, no key that reaches a prototype, and no text or key that the database cannot keep. Throws
 * `malformed_json`, `unsafe_number` or `payload_too_large` (more than 40,000 values), without an echo.
 */
export function strictJson(body: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new DocumentFault('malformed_json');
  }
  measure(text);
  let unsafe = false;
  const exactNumber = (source: string) => {
    const value = Number(source);
    if (!Number.isFinite(value) || (/^-?\d+$/.test(source) && !Number.isSafeInteger(value))) unsafe = true;
    return value;
  };
  let document: unknown;
  try {
    document = parse(text, undefined, {
      parseNumber: exactNumber,
      onDuplicateKey: () => {
        throw new DocumentFault('malformed_json');
      },
    });
  } catch {
    throw new DocumentFault('malformed_json');
  }
  if (unsafe) throw new DocumentFault('unsafe_number');
  if (isForbidden(document)) throw new DocumentFault('malformed_json');
  return document;
}

/**
 * Looks at brackets and commas outside strings, so that neither a deep nor an endless document reaches the parser: its
 * time for each value would hold up everybody else.
 */
function measure(text: string): void {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === ',') values += 1;
    else if (char === '{' || char === '[') {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) throw new DocumentFault('malformed_json');
    } else if (char === '}' || char === ']') depth -= 1;
  }
  if (values > MAX_VALUES) throw new DocumentFault('payload_too_large');
}

/** Whether a text is one that the database can keep: no NUL, no half of a surrogate pair. */
export function isKeepable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function isForbidden(value: unknown): boolean {
  if (typeof value === 'string') return !isKeepable(value);
  if (Array.isArray(value)) return value.some(isForbidden);
  if (typeof value !== 'object' || value === null) return false;
  if (Object.getPrototypeOf(value) !== Object.prototype) return true;
  return Object.entries(value).some(
    ([key, inner]) => FORBIDDEN_KEYS.has(key) || isForbidden(key) || isForbidden(inner),
  );
}
