import t from 'tap';
import { builtApp, pagePolicy } from '../src/built-app.ts';

const PAGE = '<meta name="weir-sign-in" content="" />';

t.test('a page holds how to sign in, as text of an attribute', async (t) => {
  const folder = t.testdir({ 'index.html': PAGE });
  const page = await builtApp({ issuer: 'http://idp/"><script>', clientId: "it's" }, folder).page();
  t.notMatch(page, /<script>/);
  t.match(page, /content="\{&#34;issuer&#34;:/);
});

t.test('no build → no page; a build that ends later → its page', async (t) => {
  t.equal(await builtApp({ issuer: 'http://idp', clientId: 'ui' }, t.testdir({})).page(), undefined);
});

t.test('a file by its name alone; no folder, no other kind of file', async (t) => {
  const folder = t.testdir({
    'index.html': PAGE,
    assets: { 'a-1.js': 'export {}', 'a.map': '{}', in: { 'b.js': '' } },
  });
  const { asset } = builtApp({ issuer: 'http://idp', clientId: 'ui' }, folder);
  t.match(await asset('a-1.js'), { type: /javascript/ });
  for (const name of ['a.map', 'in/b.js', '../index.html', '..', 'absent.js'])
    t.equal(await asset(name), undefined, name);
});

t.test('the policy names the identity provider of the deployment, and no other host', async (t) => {
  const policy = pagePolicy('https://idp.example.org/realms/weir');
  t.match(policy, /connect-src 'self' https:\/\/idp\.example\.org;/);
  t.match(policy, /script-src 'self';/);
});
