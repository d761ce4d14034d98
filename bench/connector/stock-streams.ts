/** The catalog that asks for all streams of a connector anew, as text, from what its `discover` printed. */
export function configuredCatalog(discovered: string): string {
  const found = discovered.split('\n').find((line) => line.includes('"CATALOG"')) ?? '';
  const { catalog } = JSON.parse(found) as { catalog: { streams: object[] } };
  const mode = { sync_mode: 'full_refresh', destination_sync_mode: 'overwrite' };
  return JSON.stringify({ streams: catalog.streams.map((stream) => ({ stream, ...mode })) });
}
