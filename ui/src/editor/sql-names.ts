/** A dataset id within a statement: bare, or with quoted segments. */
const NAME = /"?(bronze|silver|gold|raw|registry)"?\."?(\w+)"?\."?(\w+)"?/g;

/** The tables of a tenant that a statement names, each once. */
export function namedTables(sql: string, known: ReadonlySet<string>): string[] {
  const found = [...sql.matchAll(NAME)].map(([, layer, scope, table]) => `${layer}.${scope}.${table}`);
  return [...new Set(found)].filter((name) => known.has(name)).sort();
}

/** What completion offers below each part of a name. */
export interface NameTree {
  [name: string]: NameTree | string[];
}

/** Tables as layer, scope and table, with their columns where they are known. */
export function nameTree(tables: readonly string[], columns: ReadonlyMap<string, readonly string[]>): NameTree {
  const tree: Record<string, Record<string, Record<string, string[]>>> = {};
  for (const id of tables) {
    const [layer = '', scope = '', table = ''] = id.split('.');
    tree[layer] ??= {};
    const scopes = tree[layer];
    scopes[scope] ??= {};
    scopes[scope][table] = [...(columns.get(id) ?? [])];
  }
  return tree;
}
