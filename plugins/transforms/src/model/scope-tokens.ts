/** Layers whose second segment is the scope of a tenant. */
const LAYERS = ['bronze', 'silver', 'gold'];

/** Comments and texts first: no dataset id is looked for in them. */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|"(?:[^"]|"")*"|\$\{scope\}|[\p{L}_][\p{L}\p{N}_$]*|\s+|[\s\S]/gu;
const BLANK = /^(\s|--|\/\*)/;

interface Token {
  text: string;
  /** Without quotes. */
  name: string;
}

/** A dataset id in a statement: its tokens are at these places. */
interface Found {
  layer: Token;
  scope: Token;
  table: Token;
}

/** The dataset ids that a statement names in layers of tenants, by its tokens. */
function datasetTokens(tokens: readonly Token[]): Found[] {
  const solid = tokens.filter(({ text }) => !BLANK.test(text));
  return solid.flatMap((layer, at): Found[] => {
    const [dot, scope, second, table] = solid.slice(at + 1, at + 5);
    const isId = dot?.text === '.' && second?.text === '.' && scope !== undefined && table !== undefined;
    const isFirst = solid[at - 1]?.text !== '.';
    return isId && isFirst && LAYERS.includes(layer.name.toLowerCase()) ? [{ layer, scope, table }] : [];
  });
}

function tokensOf(sql: string): Token[] {
  return [...sql.matchAll(TOKEN)].map(([text]) => ({ text, name: text.startsWith('"') ? text.slice(1, -1) : text }));
}

const isScope = (name: string, scope: string): boolean => name.toLowerCase() === scope.toLowerCase();

/** A statement with another scope in the dataset ids that have this one; texts and comments stay as they are. Pure. */
export function withScope(sql: string, from: string, to: string): string {
  const tokens = tokensOf(sql);
  for (const { scope } of datasetTokens(tokens))
    if (isScope(scope.name, from)) scope.text = scope.text.startsWith('"') ? `"${to}"` : to;
  return tokens.map(({ text }) => text).join('');
}

/** Dataset ids of a statement that are of another scope. Pure. */
export function foreignDatasets(sql: string, own: string): string[] {
  return datasetTokens(tokensOf(sql))
    .filter(({ scope }) => !isScope(scope.name, own))
    .map(({ layer, scope, table }) => [layer, scope, table].map(({ name }) => name).join('.'));
}

/** Dataset ids of a statement that are of this scope, in lower case. Pure. */
export function ownDatasets(sql: string, own: string): string[] {
  return datasetTokens(tokensOf(sql))
    .filter(({ scope }) => isScope(scope.name, own))
    .map(({ layer, scope, table }) => [layer, scope, table].map(({ name }) => name.toLowerCase()).join('.'));
}

/** A dataset id with another scope, if it has this one. Pure. */
export function idWithScope(id: string, from: string, to: string): string {
  const [layer = '', scope = '', table, ...rest] = id.split('.');
  const isOwn =
    table !== undefined && rest.length === 0 && LAYERS.includes(layer.toLowerCase()) && isScope(scope, from);
  return isOwn ? `${layer}.${to}.${table}` : id;
}

/** Whether a dataset id is of the layers of tenants and of another scope. Pure. */
export function isForeign(id: string, own: string): boolean {
  const [layer = '', scope = '', table] = id.split('.');
  return table !== undefined && LAYERS.includes(layer.toLowerCase()) && !isScope(scope, own);
}
