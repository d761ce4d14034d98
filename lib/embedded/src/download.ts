import { createHash } from 'node:crypto';
import { Agent as HttpAgent, get as httpGet, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, get as httpsGet } from 'node:https';

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const MAX_BYTES = 256 * 1024 * 1024;

/** Lower-case hexadecimal SHA-256. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function open(url: URL): Promise<IncomingMessage> {
  const [get, agent] =
    url.protocol === 'https:'
      ? [httpsGet, new HttpsAgent({ proxyEnv: process.env })]
      : [httpGet, new HttpAgent({ proxyEnv: process.env })];
  return new Promise((resolve, reject) => {
    const options: RequestOptions = { agent, headers: { 'user-agent': 'weir' } };
    const request = get(url, options, (response) => {
      clearTimeout(connecting);
      response.setTimeout(IDLE_TIMEOUT_MS, () => response.destroy(new Error(`${url.host} fell silent`)));
      resolve(response);
    });
    const connecting = setTimeout(() => {
      request.destroy(new Error(`no answer from ${url.host} within ${CONNECT_TIMEOUT_MS} ms`));
    }, CONNECT_TIMEOUT_MS);
    request.on('error', (fault) => {
      clearTimeout(connecting);
      reject(fault);
    });
  });
}

/**
 * The bytes behind an address. Follows redirects, honours `HTTPS_PROXY` and `NO_PROXY`, gives up when there is no answer
 * within 5 s or a pause of 30 s. Throws on any other status than 200 and beyond 256 MiB.
 */
export async function download(address: string): Promise<Buffer> {
  let url = new URL(address);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await open(url);
    const { statusCode: status = 0, headers } = response;
    if (status >= 300 && status < 400 && headers.location !== undefined) {
      response.destroy();
      url = new URL(headers.location, url);
      continue;
    }
    if (status !== 200) {
      response.destroy();
      throw new Error(`${url.host} answered ${status}`);
    }
    return readAll(response, url);
  }
  throw new Error(`${address} redirects more than ${MAX_REDIRECTS} times`);
}

async function readAll(response: IncomingMessage, url: URL): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    size += (part as Buffer).length;
    if (size > MAX_BYTES) throw new Error(`${url.host} sent more than ${MAX_BYTES} bytes`);
    parts.push(part as Buffer);
  }
  if (!response.complete) throw new Error(`${url.host} closed the connection early`);
  return Buffer.concat(parts);
}
