import t from 'tap';
import { imageMaker, ownWorkspace, runs } from '../../../connectors/runtime/test/container-kit.ts';
import { engineSettings, testEngine } from '../../../test/engines/index.ts';
import { createSource, readRunLogs } from '../src/contract.ts';
import { containedPlatform } from './contained-platform.ts';
import { discovered, ok } from './platform.ts';

/** What the loader says of a library that was unpacked to where nothing may be run from. */
const NOT_EXECUTABLE = 'UnsatisfiedLinkError: /tmp/native.so: failed to map segment from shared object';

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  t.test('a discovery whose image cannot be had or run says so by code, origin and hint', async (t) => {
    const make = await imageMaker(engine);
    const made = (name: string, ...lines: string[]) => make(`weir-test/${name}:1`, lines);
    const says = (where: 'log' | 'error') =>
      runs(`console.${where}(${JSON.stringify(NOT_EXECUTABLE)}); process.exitCode = 1;`);
    const [published] = (await engine.pushImage(await made('mute', runs('0')), 'weir-test/mute')).split('@');
    const table: readonly (readonly [image: string, code: string, origin: string])[] = [
      ['UPPER/case:1', 'connector_image_invalid', 'platform'],
      [`${engine.registry}/weir-test/nowhere:1`, 'connector_image_missing', 'platform'],
      [`${published}@sha256:${'0'.repeat(64)}`, 'connector_image_missing', 'platform'],
      ['127.0.0.1:1/weir-test/x:1', 'connector_registry_unreachable', 'platform'],
      [await made('volumes', 'VOLUME /data', runs('0')), 'image_declares_volumes', 'platform'],
      [await made('no-entry', 'CMD ["/usr/local/bin/node"]'), 'connector_image_unusable', 'platform'],
      [await made('incompatible', says('log')), 'runtime_incompatible', 'source'],
      [await made('incompatible-too', says('error')), 'runtime_incompatible', 'source'],
      [`${published}:latest`, 'connector_no_answer', 'source'],
    ];
    const workspace = await ownWorkspace(t, engine);
    const patterns = table.map(([image], at) => ({ id: `p${at}`, fast_path: [], image }));
    const platform = await containedPlatform(t, patterns, engineSettings(engine, workspace));
    await platform.startWorker();
    const api = await platform.as('demo');
    const failures = table.map(async (_, at) => {
      const body = { name: `s${at}`, pattern_id: `p${at}`, source_config: { path: '/data' } };
      const { source_id } = ok(await api(createSource, { body }));
      const { run_id, failure } = await discovered(api, source_id);
      const log = ok(await api(readRunLogs, { params: { source_id, run_id }, query: { step: 'pull', attempt: 1 } }));
      return { failure, pulled: log.items.map(({ message }) => message) };
    });
    const seen = await Promise.all(failures);
    t.match(seen.at(-1)?.pulled, [`the image is pulled: ${published}:latest`, /^the image is here: sha256:/]);
    for (const [at, { failure }] of seen.entries()) {
      const [image = '', code, origin] = table[at] ?? [];
      t.match(failure, { code, origin, detail: /\.$/, hint: /\w/ }, image);
    }
  });
}
