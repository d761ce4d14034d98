import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { furnishSource } from '../../plugins/apply/test/furnish.ts';
import { URL, world } from '../../plugins/apply/test/kit.ts';
import { commandLine } from './command-line.ts';
import { fakeApi, problem, type Routes } from './fake-api.ts';

const WEBHOOK = `# to the pager
apiVersion: service.platform/v1
kind: Webhook
metadata: {name: pager}
spec:
  url: \${env:PAGER_URL}
  events: [run.failed]
`;

t.test('documents by commands', async (t) => {
  const { as, api, token } = await world(t);
  const { weir: run, home } = Object.assign(commandLine(t), { home: t.testdirName });
  const cwd = path.join(home, 'repository');
  await mkdir(path.join(cwd, 'documents'), { recursive: true });
  const env = { WEIR_URL: api.url, WEIR_TENANT: 'acme', WEIR_TOKEN: await token('acme'), PAGER_URL: URL };
  const weir = (line: string, more: object = {}) => run(line, { cwd, env, ...more });
  const write = (file: string, text: string) => writeFile(path.join(cwd, 'documents', file), text);
  await furnishSource(await as('acme'), 'shop', cwd);

  t.test('a folder → planned, applied with progress, and then nothing to change', async (t) => {
    await write('pager.yaml', WEBHOOK);
    const two = `apiVersion: service.platform/v1
kind: Transform
metadata: {name: daily}
spec:
  sql: |-
    select id
    from bronze.\${scope}.shop__orders
  output: gold.\${scope}.daily
---
apiVersion: service.platform/v1
kind: Source
metadata: {name: second}
spec: {pattern_id: files, source_config: {path: ${cwd}}}
`;
    await write('z.yaml', two);
    const diff = await weir('diff -f documents --exit-code');
    t.equal(diff.code, 7, diff.stderr);
    t.match(
      diff.stdout,
      /\+ Source second \(documents\/z\.yaml:\d+:1\)[\s\S]*\+ Transform daily[\s\S]*\+ Webhook pager/,
    );
    t.match(diff.stdout, /from bronze\.acme\.shop__orders[\s\S]* url: set[\s\S]*3 create/);
    t.notMatch(diff.stdout, URL, 'what is write-only is not shown');
    t.match(await weir('apply -f documents'), { code: 2, stderr: /--yes/ });
    const applied = await weir('apply -f documents --yes');
    t.equal(applied.code, 0, applied.stderr);
    t.match(
      applied.stderr,
      /Source second: applied\nTransform daily: applied\n {2}POST .*hydrate: .*\nWebhook pager: applied/,
    );
    await write('pager.yaml', WEBHOOK.replace(/ {2}url.*\n/, ''));
    t.match(await weir('apply -f documents --yes'), { code: 0, stderr: /nothing to change/ });
    t.match(await weir('diff -f documents --exit-code'), { code: 0, stdout: '3 noop\n' });
  });

  t.test('faults → file, line and column, and the ending of an invalid document', async (t) => {
    await write('pager.yaml', WEBHOOK.replace('run.failed', 'run.filed').replace('v1', 'v2'));
    const { code, stdout } = await weir('diff -f documents');
    t.equal(code, 6);
    t.match(stdout, /documents\/pager\.yaml:2:13: api_version_unknown/);
    t.match(stdout, /documents\/pager\.yaml:7:12: spec_invalid/);
    t.match(await weir('apply -f documents --yes'), { code: 6 });
    await write('pager.yaml', 'kind: [');
    t.match(await weir('diff -f documents'), { code: 6, stderr: /documents\/pager\.yaml:\d+:\d+: this is neither/ });
    await write('pager.yaml', WEBHOOK);
    const { PAGER_URL: _, ...without } = env;
    t.match(await weir('diff -f documents', { env: without }), {
      code: 6,
      stderr: /pager\.yaml:6:8: the variable PAGER_URL is not set/,
    });
    t.match(await weir('diff -f nothing.yaml'), { code: 2 });
  });

  t.test('what JSON cannot hold → refused by place, never sent as something else', async (t) => {
    const spec = (text: string) => WEBHOOK.replace('events: [run.failed]', text);
    const cases: [string, RegExp][] = [
      [spec('n: .inf'), /stdin:2:1: this holds what JSON cannot hold/],
      [spec('n: !!binary c3dvcmRmaXNo'), /stdin:7:6: this holds what JSON cannot hold/],
      [spec('n: 12345678901234567890'), /stdin:2:1: .*number/],
      [spec('url: x'), /stdin:2:1: this has a key twice/],
      [spec('? [a]\n  : b'), /stdin:2:1: this holds what JSON cannot hold/],
      [spec('n: *nothing'), /stdin:\d+:\d+: /],
    ];
    for (const [stdin, said] of cases) {
      const { code, stderr } = await weir('diff -f -', { stdin });
      t.equal(code, 6, stderr);
      t.match(stderr, said);
      t.notMatch(stderr, /swordfish|c3dv/);
    }
  });

  t.test('links in a folder → read; folders and files of other programs → not', async (t) => {
    const folder = path.join(cwd, 'linked');
    await mkdir(path.join(folder, '.github'), { recursive: true });
    await writeFile(path.join(folder, '.github/ci.yaml'), 'on: push');
    await symlink(path.join(cwd, 'documents/z.yaml'), path.join(folder, 'z.yaml'));
    t.match(await weir('diff -f linked'), { code: 0, stdout: '2 noop\n' });
    await symlink(path.join(cwd, 'nothing.yaml'), path.join(folder, 'a.yaml'));
    t.match(await weir('diff -f linked'), { code: 2, stderr: /linked\/a\.yaml cannot be read/ });
  });

  t.test('a conflict → its own ending, and a call that is refused → 1', async (t) => {
    const taken = { apiVersion: 'service.platform/v1', kind: 'Transform', metadata: { name: 'other' } };
    const spec = { sql: 'select 1 as one', output: 'gold.acme.daily' };
    const stdin = JSON.stringify({ docs: [{ ...taken, spec }] });
    t.match(await weir('diff -f -', { stdin }), { code: 5, stdout: /stdin:1:\d+: output_taken/ });
    const inside = `${WEBHOOK.replace('name: pager', 'name: inside')}---\n${WEBHOOK.replace('name: pager', 'name: last')}`;
    const result = await weir('apply -f - --yes', { stdin: inside, env: { ...env, PAGER_URL: 'http://10.0.0.1/x' } });
    t.match(result, { code: 1, stdout: /webhook_url_refused/, stderr: /2 of 2 documents were not applied/ });
  });

  t.test('export → a file each, of which a diff finds nothing', async (t) => {
    t.match(await weir('export -d exported'), { code: 0, stderr: /4 documents in exported/ });
    const text = await readFile(path.join(cwd, 'exported/transform/daily.yaml'), 'utf8');
    t.match(text, /sql: \|-\n {4}select id\n {4}from bronze\.\$\{scope\}\.shop__orders/);
    t.match(await weir('diff -f exported --exit-code'), { code: 0, stdout: '4 noop\n' });
    const one = await weir('export Source shop');
    t.equal(one.code, 0, one.stderr);
    t.match(parse(one.stdout), { kind: 'Source', metadata: { name: 'shop' } });
    t.match(await weir('export Source nothing'), { code: 4 });
  });

  t.test('init → a document and a file for CI, whose commands plan and apply it', async (t) => {
    t.match(await weir('init begun'), { code: 0 });
    t.match(await weir('init begun'), { code: 5, stderr: /is there already/ });
    const ci = parse(await readFile(path.join(cwd, 'begun/.github/workflows/weir.yaml'), 'utf8'));
    const lines = Object.values(ci.jobs as Record<string, { steps: { run?: string }[] }>)
      .flatMap(({ steps }) => steps.flatMap(({ run: line }) => line ?? []))
      .map((line) => line.replace(/^weir /, ''));
    t.strictSame(lines, ['diff -f documents', 'apply -f documents --yes']);
    const document = path.join(cwd, 'begun/documents/source/shop.yaml');
    await writeFile(document, (await readFile(document, 'utf8')).replace('shop', 'begun'));
    for (const line of lines) t.match(await weir(line, { cwd: path.join(cwd, 'begun') }), { code: 0 }, line);
    t.match(await weir('sources list -o name'), { stdout: /begun/ });
  });
});

const PLANNED = {
  fingerprint: 'AAAA',
  summary: { create: 2, patch: 0, noop: 0, 'would-409': 0, error: 0 },
  results: ['one', 'two'].map((name, index) => ({
    ...{ index, kind: 'Webhook', name, action: 'create' },
    ...{ changes: [], calls: [{ method: 'POST', path: '/api/v1/webhooks' }] },
  })),
};
const DOCS = ['one', 'two'].map((name) => WEBHOOK.replace('name: pager', `name: ${name}`)).join('---\n');

t.test('an apply that does not come to its end', async (t) => {
  const { weir: run } = commandLine(t);
  const apply = async (answer: Routes[string]) => {
    const { url } = await fakeApi(t, {
      'POST /api/v1/apply/dry-run': { status: 200, body: PLANNED },
      'POST /api/v1/apply': answer,
    });
    const env = { WEIR_URL: url, WEIR_TENANT: 'acme', WEIR_TOKEN: 'x', PAGER_URL: URL };
    return run('apply -f - --yes', { env, stdin: DOCS });
  };
  const lines = (...of: object[]): Routes[string] => ({
    status: 200,
    raw: of.map((line) => `${JSON.stringify(line)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const done = (index: number) => ({ index, kind: 'Webhook', name: 'one', outcome: 'applied', id: 'x', calls: 1 });

  t.test('an answer that is cut or broken off → 1, with how much is known', async (t) => {
    t.match(await apply(lines(done(0), done(1), { status: 'applied' })), { code: 0 });
    const cut = await apply(lines(done(0)));
    t.match(cut, {
      code: 1,
      stdout: /one\s+applied/,
      stderr: /1 of 2 documents have a result[\s\S]*same documents again/,
    });
    t.match(await apply(lines(done(0), done(1))), { code: 1 });
    t.match(await apply(lines(done(0), done(1), { status: 'stopped', code: 'internal' })), { code: 1 });
    t.match(await apply(lines({ status: 'applied' })), { code: 1 });
  });

  t.test('a stale plan → 5, with the document that moved and its place', async (t) => {
    const errors = [{ pointer: '/docs/1', code: 'stored', message: 'was made, changed or deleted since the plan' }];
    const { code, stderr } = await apply(problem(409, 'plan_stale', { errors }));
    t.equal(code, 5);
    t.match(stderr, /Webhook two, stdin:\d+:1\) was made, changed or deleted since the plan/);
  });
});
