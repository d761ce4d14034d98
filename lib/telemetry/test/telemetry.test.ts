import { createServer } from 'node:http';
import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';
import { trace } from '@opentelemetry/api';
import fc from 'fast-check';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { createTelemetry, readTraceparent, startTelemetry } from '../src/index.ts';
import { testCollector } from '../src/testing.ts';

const program = { service: 'weir-test', version: '1' };
const trace1 = '0af7651916cd43dd8448eb211c80319c';
const span1 = 'b7ad6b7169203331';

t.test('without a collector nothing of the exporter is loaded, and with one it is', async (t) => {
  const loaded: string[] = [];
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (/^@opentelemetry\/(sdk|exporter)/.test(specifier)) loaded.push(specifier);
      return next(specifier, context);
    },
  });
  await (await startTelemetry({ ...program, endpoint: undefined })).stop();
  t.strictSame(loaded, []);
  const telemetry = await startTelemetry({ ...program, endpoint: 'http://127.0.0.1:1' });
  hooks.deregister();
  t.match(loaded, /sdk-node/);
  await telemetry.span({ name: 'nobody.listens' }, async () => undefined);
  await telemetry.stop();
});

t.test('a collector that is away, and comes back → said once each', async (t) => {
  const said: string[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(answers.shift() ?? 200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const log = {
    warn: (text: string) => void said.push(`warn ${text}`),
    info: (text: string) => void said.push(`info ${text}`),
  };
  const telemetry = await startTelemetry({ ...program, endpoint: `http://127.0.0.1:${port}`, log });
  // No code after which a sender tries again.
  answers.push(400, 400, 200, 200);
  for (let left = answers.length; left > 0; left -= 1) {
    await telemetry.span({ name: 'ours' }, async () => undefined);
    await until('an answer of the collector', async () => answers.length < left);
  }
  await until('the word that it is back', async () => said.length >= 2);
  await telemetry.stop();
  t.strictSame(said, [
    'warn the collector of traces does not take spans: they are dropped until it does',
    'info the collector of traces takes spans again',
  ]);
});

t.test('spans nest, continue a traceparent, and end as failed when their work throws', async (t) => {
  const collector = await testCollector(t);
  const telemetry = await startTelemetry({ ...program, endpoint: collector.url });
  const parent = `00-${trace1}-${span1}-01`;
  await t.rejects(
    telemetry.span({ name: 'outer', parent, attributes: { kind: 'k' } }, async (note) => {
      note({ run_id: 'r' });
      t.match(telemetry.traceparent(), `00-${trace1}-`);
      await telemetry.span({ name: 'inner', spanId: '00000000000000aa' }, async () => undefined);
      throw new Error('canary-of-an-error');
    }),
  );
  t.equal(telemetry.traceparent(), undefined);
  telemetry.open({ name: 'root', traceId: 'f'.repeat(32) }).end();
  await telemetry.stop();
  const [inner, outer, root] = collector.spans();
  t.match(outer, { service: 'weir-test', traceId: trace1, parentSpanId: span1, failed: true });
  t.strictSame(outer?.attributes, { kind: 'k', run_id: 'r' });
  t.match(inner, { traceId: trace1, parentSpanId: outer?.spanId, spanId: '00000000000000aa', failed: false });
  t.match(root, { traceId: 'f'.repeat(32), parentSpanId: undefined });
  t.notMatch(collector.received(), /canary/, 'what an error says stays here');
});

t.test('nothing leaves but our spans with the attributes that are allowed', async (t) => {
  const collector = await testCollector(t);
  const telemetry = await startTelemetry({ ...program, endpoint: collector.url });
  trace
    .getTracer('a-library')
    .startSpan('select canary', { attributes: { 'db.statement': 'canary' } })
    .end();
  const attributes = { kind: 'k', 'url.query': 'canary', tenant: 'canary' } as object;
  await telemetry.span({ name: 'ours', attributes }, async (note) => note({ secret: 'canary' } as object));
  await telemetry.stop();
  t.match(collector.spans(), [{ name: 'ours', attributes: { kind: 'k' } }]);
  t.equal(collector.spans().length, 1);
  t.notMatch(collector.received(), /canary|host\.name|process\./);
});

t.test('a trace that the caller does not sample is handed on and not recorded', async (t) => {
  const collector = await testCollector(t);
  const telemetry = await startTelemetry({ ...program, endpoint: collector.url });
  await telemetry.span({ name: 'quiet', parent: `00-${trace1}-${span1}-00` }, async () => {
    t.match(telemetry.traceparent(), new RegExp(`^00-${trace1}-.*-00$`));
  });
  await telemetry.stop();
  t.strictSame(collector.spans(), []);
});

t.test('without a collector a trace is handed on, and begins unsampled where an id is given', async (t) => {
  const telemetry = createTelemetry();
  const parent = `00-${trace1}-${span1}-01`;
  await telemetry.span({ name: 'activity', parent, logged: true }, async () => {
    t.equal(telemetry.traceparent(), parent);
    t.strictSame(telemetry.logKeys(), { trace_id: trace1 });
  });
  t.equal(telemetry.open({ name: 'nothing' }).traceparent, undefined);
  t.match(telemetry.open({ name: 'begun', traceId: trace1 }).traceparent, /-00$/);
});

t.test('only a well-formed traceparent is read', async (t) => {
  t.strictSame(readTraceparent(`00-${trace1}-${span1}-01`), { traceId: trace1, spanId: span1, flags: 1 });
  const zero = '0';
  for (const bad of [
    `00-${zero.repeat(32)}-${span1}-01`,
    `00-${trace1}-${zero.repeat(16)}-01`,
    `01-${trace1}-${span1}-01`,
    `00-${trace1.toUpperCase()}-${span1}-01`,
    `00-${trace1}-${span1}-01\n`,
    ['00', trace1],
    undefined,
  ]) {
    t.equal(readTraceparent(bad), undefined);
  }
  fc.assert(fc.property(fc.string(), (text) => readTraceparent(text) === undefined));
});
