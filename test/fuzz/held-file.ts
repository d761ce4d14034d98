import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Teardown } from '@weir/kernel/testing';

/** A CSV file on loopback whose server can stop answering, so that whoever reads it goes on for as long as one likes. */
export interface HeldFile {
  url: string;
  port: number;
  /** From now on no request is answered. */
  hold(): void;
}

/** Starts the server of the file; it ends with the test. */
export async function heldFile(t: Teardown): Promise<HeldFile> {
  let held = false;
  const server = createServer((_request, response) => {
    if (!held) response.writeHead(200, { 'content-type': 'text/csv' }).end('id\n1\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hold = () => {
    held = true;
  };
  return { url: `http://127.0.0.1:${port}/held.csv`, port, hold };
}
