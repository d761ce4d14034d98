import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type ConnectorRun, containerRuntime, readAnswer } from '@weir/connector-runtime';
import { testRun } from '@weir/connector-runtime/testing';
import t from 'tap';
import { testEngine } from '../../../test/engines/index.ts';
import { HASTY_MS, PATIENT_MS } from '../../../test/until.ts';
import { habit, imageMaker, ownWorkspace, runs, said } from './container-kit.ts';

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  // Were this believed, nothing below would reach an engine.
  process.env.DOCKER_HOST = 'tcp://127.0.0.1:1';
  t.teardown(() => delete process.env.DOCKER_HOST);
  const { socketPath, registry } = engine;
  const workspaceRoot = await ownWorkspace(t, engine);
  const make = await imageMaker(engine);
  const options = { socketPath, workspaceRoot, role: 'source', mode: 'development', waivers: ['rootful'] } as const;
  const runtime = containerRuntime(options);
  const over = async (image: string, more: Partial<ConnectorRun> = {}) => {
    const connector = await runtime.run(testRun(image, more));
    const output = await text(connector.stdout);
    return { output, exit: await connector.exit, stderr: connector.stderrTail() };
  };
  const glutton = 'const kept = []; for (;;) kept.push(Buffer.alloc(8 << 20, 1));';

  t.test(
    'a connector that takes more memory than it may is seen to, when a child of it did and it ends well too',
    async (t) => {
      const limits = { memoryMiB: 96 };
      const alone = await make('weir-test/glutton:1', [runs(glutton)]);
      t.match((await over(alone, { limits })).exit, { code: 137, oomKilled: true });
      const script = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(glutton)}]);`;
      const parent = await make('weir-test/glutton-child:1', [runs(script)]);
      t.match((await over(parent, { limits })).exit, { code: 0, oomKilled: true });
    },
  );

  t.test('a connector that forks without end comes to its bound, and the host does not', async (t) => {
    const script = `const cp = require('node:child_process');
      const fork = (n) => { const child = cp.spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
        child.once('error', (error) => { console.log(error.code + ' ' + n); process.exit(0); });
        child.once('spawn', () => (n < 60 ? fork(n + 1) : (console.log('free'), process.exit(0)))); };
      fork(0);`;
    const image = await make('weir-test/forks:1', [runs(script)]);
    t.match((await over(image, { limits: { pids: 40, memoryMiB: 512 } })).output, /^EAGAIN \d+\n$/);
  });

  t.test(
    'one that waits at its bound of processes is told of by it, and one that waits elsewhere is not',
    async (t) => {
      // It speaks once it is there, from when on its silence counts.
      const hangs = (count: string) => `const cp = require('node:child_process');
      for (let n = 0; n < ${count} && cp.spawn(process.execPath, ['--version']).pid !== undefined; n += 1);
      console.log('up'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
      const deadlines = { firstMessageMs: PATIENT_MS, inactivityMs: HASTY_MS, runMs: PATIENT_MS };
      const table = [
        ['hangs-full', 'Infinity', 'connector_processes_exhausted'],
        ['hangs-free', '3', 'connector_silent'],
      ] as const;
      const seen = table.map(async ([name, count]) => {
        const image = await make(`weir-test/${name}:1`, [runs(hangs(count))]);
        const connector = await runtime.run(testRun(image, { verb: 'discover', limits: { pids: 40 } }));
        const answer = await readAnswer(connector, 'CATALOG', { deadlines });
        return answer.ok ? 'an answer' : answer.failure.code;
      });
      t.strictSame(
        await Promise.all(seen),
        table.map(([, , code]) => code),
      );
    },
  );

  t.test('no connector reaches another', async (t) => {
    const server = `require('node:net').createServer().listen(7000, () => console.log(require('node:os').networkInterfaces().eth0[0].address));`;
    const image = await make('weir-test/server:1', [runs(server)]);
    const other = await runtime.run(testRun(image));
    const [address] = (await new Promise<Buffer>((resolve) => other.stdout.once('data', resolve)))
      .toString()
      .split('\n');
    const client = `const s = require('node:net').connect({ host: '${address}', port: 7000, timeout: ${5 * HASTY_MS} });
      s.on('connect', () => { console.log('reached'); process.exit(0); });
      for (const e of ['error', 'timeout']) s.on(e, () => { console.log('not reached'); process.exit(0); });`;
    t.equal(await said(runtime, await make('weir-test/client:1', [runs(client)])), 'not reached\n');
    await other.stop();
  });

  t.test('an image that could not be bounded or run is refused by name', async (t) => {
    const table = [
      ['image_declares_volumes', ['VOLUME /data', habit('good')]],
      ['connector_image_unusable', ['CMD ["/usr/local/bin/node"]']],
      ['connector_image_unusable', ['USER stranger', habit('good')]],
    ] as const;
    for (const [at, [code, lines]] of table.entries()) {
      const image = await make(`weir-test/bad-${at}:1`, lines);
      await t.rejects(runtime.run(testRun(image)), { code }, lines[0]);
    }
    for (const image of ['-v=/:/h', 'a b', 'UPPER/case', `a/${'b'.repeat(400)}`, 'weir/é:1', 'x@sha256:1', '']) {
      await t.rejects(runtime.run(testRun(image)), { code: 'connector_image_invalid' }, image);
    }
    const nothing = await make('weir-test/nothing:1', ['ENTRYPOINT ["/nothing"]']);
    t.match((await over(nothing)).exit, { failure: 'connector_image_unusable' });
    await t.rejects(runtime.run(testRun('127.0.0.1:1/weir/x:1')), { code: 'connector_registry_unreachable' });
  });

  t.test(
    'an image is pulled when it is not there, and what was found once is run though the name has moved on',
    async (t) => {
      const name = `${registry}/weir-test/moving:latest`;
      const publish = async (word: string) => {
        const image = await make(`weir-test/moving-${word}:1`, [runs(`console.log('${word}')`)]);
        return engine.pushImage(image, 'weir-test/moving');
      };
      await publish('one');
      const connector = await runtime.run(testRun(name));
      t.equal(await text(connector.stdout), 'one\n');
      await connector.exit;
      const first = connector.image;
      t.match(first, { digest: /^sha256:[0-9a-f]{64}$/, id: /^sha256:/, architecture: String });
      const other = (await publish('two')).split('@')[1] ?? '';
      t.equal(await said(runtime, name, { pinned: first?.digest }), 'one\n');
      t.equal(await said(runtime, name, { pinned: other }), 'two\n', 'what is pinned is pulled by its digest');
      await t.rejects(runtime.run(testRun(name, { pinned: `sha256:${'0'.repeat(64)}` })), {
        code: 'connector_image_missing',
      });
      const local = await make('weir-test/local:1', [runs(`console.log('local')`)]);
      await t.rejects(runtime.run(testRun(local, { pinned: other })), { code: 'connector_image_mismatch' });
    },
  );

  t.test('what belongs to no live attempt is removed, what does is not', async (t) => {
    const image = await make('weir-test/waits:1', [habit('stops-on-request')]);
    // Containers are named by their attempt, and others use this engine too.
    const [gone, going] = [randomUUID(), randomUUID()];
    const labels = (execution: string, attempt: string) => ({ tenant: 't', source: 's', execution, attempt });
    const inputs = { config: '{}' };
    const dead = await runtime.run(testRun(image, { labels: labels(gone, '1'), inputs }));
    const old = await runtime.run(testRun(image, { labels: labels(going, '1'), inputs }));
    const live = await runtime.run(testRun(image, { labels: labels(going, '2'), inputs }));
    t.match(await old.exit, { stopped: false }, 'an attempt ends those before it');
    const other = containerRuntime({ ...options, role: 'discovery' });
    const asked: string[] = [];
    t.match(await other.reap(async () => false), { containers: 0 });
    const reaped = await runtime.reap(async ({ execution, attempt }) => {
      asked.push(`${execution} ${attempt}`);
      return execution === going && attempt === '2';
    });
    t.ok(reaped.containers >= 1 && asked.includes(`${gone} 1`));
    await dead.exit;
    await t.rejects(
      runtime.reap(async () => Promise.reject(new Error('the database is away'))),
      'nothing is removed',
    );
    t.match(await live.stop(), { code: 143, stopped: true });
    live.stdout.destroy();
    await live.removed;
  });
}
