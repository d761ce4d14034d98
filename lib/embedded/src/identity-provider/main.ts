import { openPeople } from './people.ts';
import { developmentProvider } from './provider.ts';
import { signingKeys } from './signing-keys.ts';

/** `main.ts <data folder> <port>`: the development identity provider on 127.0.0.1, until SIGTERM. */
async function main([dataDir, port]: string[]): Promise<void> {
  if (dataDir === undefined || port === undefined) throw new Error('usage: main.ts <data folder> <port>');
  const provider = developmentProvider(`http://127.0.0.1:${port}`, await signingKeys(dataDir), openPeople(dataDir));
  const server = provider.listen(Number(port), '127.0.0.1');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.closeAllConnections();
      server.close();
    });
  }
}

await main(process.argv.slice(2));
