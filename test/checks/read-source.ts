import { parseSync } from '@swc/core';

/** One function of a file; `own` are its lines that hold text of no function within it. */
export interface FunctionFacts {
  readonly name: string;
  readonly line: number;
  readonly own: number;
}

/** What the checks of size and of folders know of a file. */
export interface SourceFacts {
  readonly lines: number;
  readonly functions: readonly FunctionFacts[];
  /** The relative imports, as written; those of types too. */
  readonly imports: readonly string[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}
type Node = Readonly<Record<string, unknown>>;
interface Found {
  readonly name: string;
  readonly span: Span;
  readonly inner: Span[];
}

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
  'MethodProperty',
  'GetterProperty',
  'SetterProperty',
]);
const FROM_ELSEWHERE = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']);
const LF = 10;
const SPACE = 32;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string | undefined =>
  isNode(value) && typeof value.value === 'string' ? value.value : undefined;

/** The name that a node gives to itself or to the function in it. */
function nameOf(node: Node): string | undefined {
  const named = node.identifier ?? node.key ?? node.id;
  const name = textOf(named) ?? (isNode(named) ? textOf(named.id) : undefined);
  return name ?? (node.type === 'Constructor' ? 'constructor' : undefined);
}

/** The specifier of an import, of types too, static or not. */
function importOf(node: Node): string | undefined {
  if (FROM_ELSEWHERE.has(String(node.type))) return textOf(node.source);
  if (node.type === 'TsImportType') return textOf(node.argument);
  const callee = node.type === 'CallExpression' ? node.callee : undefined;
  if (!isNode(callee) || callee.type !== 'Import') return undefined;
  const [first] = node.arguments as readonly Node[];
  return textOf(first?.expression);
}

/** What a call says first, such as the title of a test. */
function titleOf(node: Node): string | undefined {
  const [first] = node.type === 'CallExpression' ? (node.arguments as readonly Node[]) : [];
  return textOf(first?.expression);
}

/** Walks a syntax tree; functions carry the name of what holds them where they have none. */
function walk(node: unknown, name: string, outer: Found | undefined, seen: { functions: Found[]; imports: string[] }) {
  if (Array.isArray(node)) {
    for (const part of node) walk(part, name, outer, seen);
    return;
  }
  if (!isNode(node)) return;
  const specifier = importOf(node);
  if (specifier?.startsWith('.')) seen.imports.push(specifier);
  const own = nameOf(node) ?? (name === '' ? titleOf(node) : undefined) ?? name;
  let holder = outer;
  if (FUNCTIONS.has(String(node.type))) {
    const span = node.span as Span;
    holder = { name: own || 'a function', span, inner: [] };
    outer?.inner.push(span);
    seen.functions.push(holder);
  }
  for (const [key, part] of Object.entries(node)) if (key !== 'span') walk(part, own, holder, seen);
}

/** The lines of a function on which something stands that is in no function within it. */
function ownLines(bytes: Buffer, { span, inner }: Found): number {
  let lines = 0;
  let counted = false;
  let next = 0;
  for (let at = span.start; at < span.end; at += 1) {
    const within = inner[next];
    if (within && at >= within.start) {
      next += 1;
      if (bytes.subarray(within.start, within.end).includes(LF)) counted = false;
      at = within.end - 1;
      continue;
    }
    const byte = bytes[at] as number;
    if (byte === LF) counted = false;
    else if (byte > SPACE && !counted) {
      counted = true;
      lines += 1;
    }
  }
  return lines;
}

/** Reads a TypeScript or JavaScript text; throws when it is neither. */
export function readSource(text: string, tsx = false): SourceFacts {
  // The parser counts bytes over all that it has read. The statement in front says where this text begins.
  const code = `;${text.replace(/^#!/, '//')}`;
  const { body } = parseSync(code, { syntax: 'typescript', tsx, target: 'es2022' });
  const base = body[0]?.span.start ?? 0;
  const bytes = Buffer.from(code);
  const seen = { functions: [] as Found[], imports: [] as string[] };
  walk(body, '', undefined, seen);
  const shifted = ({ start, end }: Span): Span => ({ start: start - base, end: end - base });
  const functions = seen.functions.map(({ name, span, inner }) => {
    const place = { name, span: shifted(span), inner: inner.map(shifted).sort((a, b) => a.start - b.start) };
    const line = bytes.subarray(0, place.span.start).toString().split('\n').length;
    return { name, line, own: ownLines(bytes, place) };
  });
  return { lines: text.split('\n').length - 1, functions, imports: [...new Set(seen.imports)] };
}
