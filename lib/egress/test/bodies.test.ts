import { text } from 'node:stream/consumers';
import t from 'tap';
import { local, outcome, serving } from './kit.ts';

t.test('a body goes with its method and length, and on to another place of the same server alone', async (t) => {
  const elsewhere = await serving((_request, response) => response.end('another server'));
  const port = await serving(async (request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams;
    const status = Number(to.get('status') ?? 200);
    const location = to.get('to') ?? '';
    const said = `${request.method} ${request.headers['content-length'] ?? '-'} ${await text(request)}`;
    response.writeHead(status, location === '' ? {} : { location }).end(said);
  });
  const egress = local([port, elsewhere]);
  const at = `http://127.0.0.1:${port}/`;
  const post = { method: 'POST', body: 'ä=1', redirects: 'keep', headers: { 'content-type': 'text/plain' } } as const;
  t.equal(await outcome(egress, at, post), 'read: POST 4 ä=1');
  t.equal(await outcome(egress, at, { method: 'DELETE' }), 'read: DELETE - ');
  t.equal(await outcome(egress, `${at}?status=307&to=/`, post), 'read: POST 4 ä=1');
  t.equal(await outcome(egress, `${at}?status=303&to=/`, post), 'read: GET - ');
  t.equal(await outcome(egress, `${at}?status=302&to=/`, post), 'read: GET - ');
  const other = encodeURIComponent(`http://127.0.0.1:${elsewhere}/`);
  t.equal(await outcome(egress, `${at}?status=307&to=${other}`, post), 'redirect_refused');
  t.equal(await outcome(egress, `${at}?status=303&to=${other}`, post), 'read: another server');

  const whole = { ...post, redirects: 'refuse' } as const;
  t.equal(await outcome(egress, `${at}?status=307&to=/`, whole), 'read: POST 4 ä=1', 'the body goes along');
  t.equal(await outcome(egress, `${at}?status=302&to=/`, { ...whole, method: 'PUT' }), 'read: PUT 4 ä=1');
  for (const status of [301, 302, 303])
    for (const to of ['/', other, encodeURIComponent('http://10.0.0.1:9/x?secret')]) {
      const url = `${at}?status=${status}&to=${to}`;
      const { origin } = new URL(decodeURIComponent(to), at);
      await t.rejects(egress.open(url, whole), { code: 'redirect_refused', redirectOrigin: origin }, url);
    }
  await t.rejects(egress.open(`${at}?status=303&to=/`, { ...whole, method: 'PUT' }), { code: 'redirect_refused' });
  await t.rejects(egress.open(`${at}?status=308&to=${other}`, whole), {
    ...{ code: 'redirect_refused', redirectOrigin: `http://127.0.0.1:${elsewhere}` },
  });
  for (const to of ['data:,x', '']) {
    const unnamed = { code: 'redirect_refused', redirectOrigin: undefined };
    await t.rejects(egress.open(`${at}?status=301&to=${to}`, whole), unnamed, `no origin in ${to}`);
  }
});
