import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

const WEIR = path.resolve(import.meta.dirname, '../bin/weir.mjs');

const weir = (env: Record<string, string>, ...words: string[]) =>
  promisify(execFile)(process.execPath, [WEIR, ...words], { env: { ...process.env, ...env } }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );

t.test('the plan of the plugins is a table in boot order, and JSON on request', async (t) => {
  const { stdout } = await weir({}, 'plugins', 'plan');
  t.match(stdout, /^ID\s+VERSION[\s\S]*\nplatform\s[\s\S]*\ndatasets\s[\s\S]*\nsources\s/);
  const json = JSON.parse((await weir({}, 'plugins', 'plan', '-o', 'json')).stdout);
  const order = json.items.map(({ id }: { id: string }) => id);
  t.equal(order[0], 'platform', 'what gates all the others is there first');
  t.match(json.items[order.indexOf('sources')], { requires: /datasets\.tables@1/ });
  t.ok(order.indexOf('datasets') < order.indexOf('sources'));
});

t.test('a plan that cannot be made names every fault and exits 1', async (t) => {
  const file = path.join(
    t.testdir({ 'platform.json': '{"plugins":["absent-one","absent-two"],"migrations":"none"}' }),
    'platform.json',
  );
  const { code, stderr } = await weir({ WEIR_PLATFORM: file }, 'plugins', 'plan');
  t.equal(code, 1);
  t.match(stderr, /plugin absent-one is named in platform.json but not installed/);
  t.match(stderr, /plugin absent-two .*\n.*hint: /s);
});
