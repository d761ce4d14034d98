import t from 'tap';
import { withReachHint } from '../src/work/discovery/reach-hint.ts';

t.test('a failure that may be one of the way there names the places of the pattern, and no other does', (t) => {
  const told = (code: string, egress: string[] | undefined, hint?: string) => {
    const failure = { code, origin: 'source', retryable: true, detail: 'x.', ...(hint && { hint }) } as const;
    const spec = { properties: { port: { default: 5432 } } };
    const config = { host: 'db.example', url: 'https://ada:pw@shop.example:8443/api', odd: 'a b', port: undefined };
    return withReachHint(failure, egress === undefined ? {} : { egress, spec }, config).hint;
  };
  const words = (places: string) => `It must reach ${places}: see that the operator has opened the way there.`;
  t.equal(
    told('server_unreachable', ['a.example:443', '{host}:{port}', '{url}', '{odd}:1', '{absent}'], 'Check it.'),
    `Check it. ${words('a.example:443, db.example:5432, shop.example:8443')}`,
  );
  t.equal(told('server_unreachable', ['{absent}:{port}'], 'Check it.'), 'Check it.', 'no place is shown unfilled');
  t.equal(told('connector_failed', ['a.example:443']), words('a.example:443'));
  t.equal(told('login_failed', ['a.example:443'], 'Check it.'), 'Check it.');
  t.equal(told('server_unreachable', [], 'Check it.'), 'Check it.');
  t.equal(told('server_unreachable', undefined), undefined);
  const many = Array.from({ length: 100 }, (_, at) => `h${at}.example:443`);
  t.equal(told('connector_silent', many), words(`${many.slice(0, 5).join(', ')}, …`));
  t.end();
});
