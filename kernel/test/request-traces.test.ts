import { createTelemetry, startTelemetry } from '@weir/telemetry';
import { testCollector } from '@weir/telemetry/testing';
import { pino } from 'pino';
import t from 'tap';
import { createServer } from '../src/http/server.ts';
import { traceRequests } from '../src/http/trace-requests.ts';
import { createLog } from '../src/log/log.ts';

const trace1 = '0af7651916cd43dd8448eb211c80319c';
const span1 = 'b7ad6b7169203331';

t.test('log lines of a span that asks for it, and of what is inside, name the trace', async (t) => {
  const telemetry = createTelemetry();
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ level: 'info', name: 'test', logKeys: telemetry.logKeys, destination });
  const parent = `00-${trace1}-${span1}-01`;
  log.info('outside');
  await telemetry.span({ name: 'activity', parent, logged: true }, async () => {
    log.info('inside');
    await telemetry.span({ name: 'deeper' }, async () => log.info('deeper'));
  });
  await telemetry.span({ name: 'request', parent }, async () => log.info('has its own'));
  t.strictSame(
    lines.map(({ trace_id }) => trace_id),
    [undefined, trace1, trace1, undefined],
  );
});

t.test('the trace id of a request is the one of its span, its problem document and its log lines', async (t) => {
  const collector = await testCollector(t);
  const telemetry = await startTelemetry({ service: 'weir-test', version: '1', endpoint: collector.url });
  const app = createServer(pino({ level: 'silent' }));
  t.teardown(() => app.close());
  traceRequests(app, telemetry);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (headers: Record<string, string>) =>
    (await (await fetch(`${url}/nowhere?canary=1`, { headers })).json()) as { trace_id: string };
  const own = await ask({});
  const given = await ask({ traceparent: `00-${trace1}-${span1}-01` });
  const broken = await ask({ traceparent: `00-${trace1}-zz-01` });
  t.equal(given.trace_id, trace1);
  await app.close();
  await telemetry.stop();
  const facts = { name: 'unknown_route', attributes: { 'http.response.status_code': 404 } };
  t.match(collector.spans(), [
    { ...facts, traceId: own.trace_id, parentSpanId: undefined },
    { ...facts, traceId: trace1, parentSpanId: span1 },
    { ...facts, traceId: broken.trace_id, parentSpanId: undefined },
  ]);
  t.notMatch(collector.received(), /canary/);
});
