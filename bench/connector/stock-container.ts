import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectorRun, containerRuntime } from '@weir/connector-runtime';
import { buildImage } from '../../test/engines/build-image.ts';
import { type Engine, engineJson } from '../../test/engines/index.ts';
import { pythonImage } from '../../test/engines/python-image.ts';
import { FAKER_IMAGE } from '../../test/foreign/published-images.ts';
import { type BenchEngine, withEngine } from '../engine/bench-engine.ts';
import type { Run } from '../measure/paired.ts';
import { pssBytes } from '../measure/process-tree.ts';
import { configuredCatalog } from './stock-streams.ts';

/** The pattern of the connector; see `test/foreign/faker`. */
export const FAKER = 'faker';

const MUTE_IMAGE = 'foreign/source-faker-to-nothing:7.2.1';
const SAMPLE_EVERY_MS = 100;
const MIB = 1024 * 1024;

/** Brings the connector's image into an engine, and the same whose output goes to /dev/null. */
export async function fakerImages(engine: Engine): Promise<void> {
  await pythonImage(engine, FAKER_IMAGE);
  const { socketPath } = engine;
  const { Config } = await engineJson<{ Config: { Entrypoint: string[] } }>(socketPath, {
    path: `/images/${FAKER_IMAGE.name}/json`,
  });
  const entrypoint = ['/bin/sh', '-c', 'exec "$@" > /dev/null', 'alone', ...Config.Entrypoint];
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-mute-'));
  try {
    const lines = [`FROM ${FAKER_IMAGE.name}`, `ENTRYPOINT ${JSON.stringify(entrypoint)}`];
    await writeFile(path.join(folder, 'Dockerfile'), lines.join('\n'));
    await buildImage(socketPath, MUTE_IMAGE, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Discovers the connector; gives what reads all that it has found in a container whose output nobody gets. */
export async function fakerToNothing(engine: BenchEngine, config: object): Promise<() => Promise<Run>> {
  const { socketPath } = engine.engine;
  const [role, mode] = ['source', 'development'] as const;
  const settings = { socketPath, workspaceRoot: engine.workspace, role, mode };
  const runtime = containerRuntime({ ...settings, waivers: ['rootful'] });
  const run = async (asked: Pick<ConnectorRun, 'image' | 'verb' | 'inputs'>) => {
    const labels = { tenant: 'bench', source: 'bench', execution: randomUUID(), attempt: '1' };
    const connector = await runtime.run({ ...asked, role, labels });
    const said = await text(connector.stdout);
    const exit = await connector.exit;
    await connector.removed;
    if (exit.code !== 0) throw new Error(`${asked.image} ended as ${JSON.stringify(exit)}: ${connector.stderrTail()}`);
    return said;
  };
  const inputs = { config: JSON.stringify(config) };
  const catalog = configuredCatalog(await run({ image: FAKER_IMAGE.name, verb: 'discover', inputs }));
  return async () => {
    const used = engine.usedSince();
    const begun = performance.now();
    let highest = 0;
    const sampler = setInterval(() => {
      const sizes = engine.processes().map(pssBytes);
      highest = Math.max(
        highest,
        sizes.reduce((sum, bytes) => sum + bytes, 0),
      );
    }, SAMPLE_EVERY_MS);
    try {
      const said = await run({ image: MUTE_IMAGE, verb: 'read', inputs: { ...inputs, catalog } });
      if (said !== '') throw new Error('the connector was not silent');
    } finally {
      clearInterval(sampler);
    }
    const wall_s = (performance.now() - begun) / 1_000;
    return { ...withEngine(0, used()), wall_s, rss_mb: highest / MIB };
  };
}
