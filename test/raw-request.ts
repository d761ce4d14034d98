import { connect } from 'node:net';

/** What a server answers to bytes that a well-behaved client would not send. */
export interface RawAnswer {
  /** 0 when the connection ended without an answer. */
  status: number;
  /** The whole answer, head included. */
  text: string;
}

/**
 * Sends one request as the given header lines (latin1) and body, on a connection of its own, and reads until it ends. A
 * connection that the server ends while the body is still being sent counts with what it answered until then.
 */
export function rawRequest(url: URL, method: string, lines: readonly string[], body: Buffer): Promise<RawAnswer> {
  return new Promise((answered) => {
    const socket = connect(Number(url.port), url.hostname);
    const parts: Buffer[] = [];
    const end = () => {
      socket.destroy();
      const text = Buffer.concat(parts).toString();
      answered({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    };
    socket.on('data', (part) => parts.push(part));
    socket.once('error', end);
    socket.once('close', end);
    const head = [
      `${method} ${url.pathname}${url.search} HTTP/1.1`,
      `Host: ${url.host}`,
      'Connection: close',
      `Content-Length: ${body.length}`,
      ...lines,
    ];
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]));
  });
}
