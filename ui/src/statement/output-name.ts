/** Names the output after the transform until a person names it otherwise. */
export function outputFor(name: string, scope: string, layer = 'gold'): string {
  const table = name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
  return `${layer}.${scope}.${table}`;
}
