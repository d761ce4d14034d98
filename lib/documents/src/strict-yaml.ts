import { setImmediate as nextTurn } from 'node:timers/promises';
import { Composer, CST, Lexer, type Node, Parser } from 'yaml';
import { DocumentFault } from './document-fault.ts';
import { MAX_DEPTH } from './strict-json.ts';
import { MAX_NODES, yamlValue } from './yaml-value.ts';

const MAX_LINES = 50_000;
const MAX_LEXEMES = 8 * MAX_NODES;
/** A few milliseconds of lexing, after which other requests get their turn. */
const LEXEMES_PER_TURN = 2_048;
/** The parser's stack also holds the document and the scalar at hand. */
const MAX_STACK = MAX_DEPTH + 2;
const TAG_FAULTS = new Set(['TAG_RESOLVE_FAILED', 'BAD_COLLECTION_TYPE']);
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f]/;

/**
 * Reads a request body as one document of YAML 1.2 (core schema) that says no more than JSON can: what `strictJson`
 * refuses is refused here too, and so are tags beyond the core schema, infinities, merge keys, keys that are not text,
 * aliases that hold themselves, more than 40,000 values. An unquoted date or datetime becomes its ISO 8601 text.
 * Depth and counts are settled before anything recurses, and long documents are read in turns, so that the event loop
 * stays free. Rejects with `malformed_yaml`, `yaml_not_json` or `unsafe_number`, without an echo of the body.
 */
export async function strictYaml(body: Buffer): Promise<unknown> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (CONTROL.test(text) || lineCount(text) > MAX_LINES) throw new DocumentFault('malformed_yaml');
    const root = composeDocument(await tokens(text));
    await nextTurn();
    return yamlValue(root);
  } catch (error) {
    // The parser's own messages quote the source, so they are no cause either.
    throw error instanceof DocumentFault ? error : new DocumentFault('malformed_yaml');
  }
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The syntax tokens of the text. The parser keeps a stack of its own, so no depth of the text can exhaust ours. */
async function tokens(text: string): Promise<CST.Token[]> {
  const found: CST.Token[] = [];
  const parser = new Parser();
  const counts = new Map<string | null, number>();
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    const type = CST.tokenType(lexeme);
    const alike = (counts.get(type) ?? 0) + 1;
    counts.set(type, alike);
    found.push(...parser.next(lexeme));
    // In a well-formed document no kind of lexeme but blanks outnumbers the nodes and lines.
    const tooMany = lexemes > MAX_LEXEMES || (alike > MAX_NODES && type !== 'space');
    const tooMuch = tooMany || parser.stack.length > MAX_STACK;
    if (tooMuch || found.at(-1)?.type === 'error') throw new DocumentFault('malformed_yaml');
    if (lexemes % LEXEMES_PER_TURN === 0) await nextTurn();
  }
  return [...found, ...parser.end()];
}

/** The one document of the tokens. Keys are compared by `yamlValue`: the parser would compare each with all others. */
function composeDocument(found: readonly CST.Token[]): Node | null {
  if (found.some((token) => token.type === 'directive' && !/^%YAML[ \t]+1\.2\s*$/.test(token.source)))
    throw new DocumentFault('yaml_not_json');
  const composer = new Composer({ schema: 'core', uniqueKeys: false, resolveKnownTags: false, prettyErrors: false });
  // The first fault is enough; collecting a hundred thousand takes half a second. Warnings are doubts about tags.
  let fault: DocumentFault | undefined;
  Reflect.set(composer, 'onError', (_source: unknown, code: string) => {
    fault ??= TAG_FAULTS.has(code) ? new DocumentFault('yaml_not_json') : new DocumentFault('malformed_yaml');
    throw fault;
  });
  const [document, another] = composer.compose(found);
  if (document === undefined || another !== undefined || document.errors.length > 0)
    throw new DocumentFault('malformed_yaml');
  return document.contents;
}
