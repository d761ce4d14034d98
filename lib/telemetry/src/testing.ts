import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The part of a tap test that the collector needs. */
interface Teardown {
  teardown(work: () => unknown): void;
}

/** A span as the collector was told of it. */
export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  failed: boolean;
  attributes: Record<string, string | number>;
}

/** A trace collector on loopback: OTLP/HTTP with JSON, as `OTEL_EXPORTER_OTLP_ENDPOINT` names it. */
export interface TestCollector {
  url: string;
  spans(): CollectedSpan[];
  /** Everything that was sent, headers included, as text. */
  received(): string;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}
interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'attributes' | 'failed' | 'service'> & {
        attributes: Attribute[];
        status: { code: number };
      })[];
    }[];
  }[];
}

/** `STATUS_CODE_ERROR` of the protocol. */
const FAILED = 2;

/** Starts the collector; it stops with the test. */
export async function testCollector(t: Teardown): Promise<TestCollector> {
  const spans: CollectedSpan[] = [];
  let text = '';
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    text += `${request.method} ${request.url} ${JSON.stringify(request.headers)}\n${body}\n`;
    if (request.url === '/v1/traces') spans.push(...collected(JSON.parse(body)));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans: () => [...spans], received: () => text };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function collected({ resourceSpans }: Sent): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, status, attributes }) => ({
        service: String(recordOf(resource.attributes)['service.name']),
        ...{ name, traceId, spanId, parentSpanId: parentSpanId || undefined },
        failed: status.code === FAILED,
        attributes: recordOf(attributes),
      })),
    ),
  );
}

function recordOf(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  );
}
