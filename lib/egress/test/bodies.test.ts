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
  const post = { method: 'POST', body: 'ä=1', headers: { 'content-type': 'text/plain' } } as const;
  t.equal(await outcome(egress, at, post), 'read: POST 4 ä=1');
  t.equal(await outcome(egress, at, { method: 'DELETE' }), 'read: DELETE - ');
  t.equal(await outcome(egress, `${at}?status=307&to=/`, post), 'read: POST 4 ä=1');
  t.equal(await outcome(egress, `${at}?status=303&to=/`, post), 'read: GET - ');
  t.equal(await outcome(egress, `${at}?status=302&to=/`, post), 'read: GET - ');
  const other = encodeURIComponent(`http://127.0.0.1:${elsewhere}/`);
  t.equal(await outcome(egress, `${at}?status=307&to=${other}`, post), 'redirect_refused');
  t.equal(await outcome(egress, `${at}?status=303&to=${other}`, post), 'read: another server');
});
