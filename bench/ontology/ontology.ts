import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { startPostgres } from '@weir/embedded';
import { serverFolder } from '@weir/embedded/testing';
import { definePlugin, type Kernel } from '@weir/kernel';
import { testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import type { EntityItem, OntologyStore } from '../../plugins/ontology/src/model/entity/store.ts';
import plugin, { registered } from '../../plugins/ontology/src/plugin.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';

const ENTITIES = 100_000;
const QUICK_ENTITIES = 10_000;
const CHUNK = 5_000;
const [LEAST_WRITTEN, LEAST_UNCHANGED] = [10_000, 20_000];
const TYPE = { code: 'Vehicle', version: 1, indexed: ['country', 'kind'] };

/** How fast entities get into the embedded store: eight properties, two of them indexed, and one link. */
export async function ontology({ quick, rows }: BenchOptions): Promise<BenchResult> {
  const folder = await serverFolder('weir-bench-');
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const [dataDir, logFile] = [path.join(folder, 'postgres'), path.join(folder, 'postgres.log')];
    const postgres = await startPostgres({ dataDir, logFile, superuserPassword: 'bench' });
    ends.unshift(() => postgres.stop());
    process.env.WEIR_TEST_DATABASE_URL = postgres.url;
    const bench = await benchStore({ teardown: (end) => void ends.unshift(end) });
    const count = rows ?? (quick ? QUICK_ENTITIES : ENTITIES);
    const [first, second] = [made(count, 0), made(count, 1)];
    const cases: BenchCase[] = [];
    const timed = async (name: string, items: readonly EntityItem[], least: number | undefined, run: number) => {
      const start = performance.now();
      const written = await bench.write(items, run);
      const wall_s = (performance.now() - start) / 1_000;
      const perSecond = Math.round(count / wall_s);
      const note = `${count} entities in chunks of ${CHUNK}, two at a time; ${written} rows written; ${perSecond} entities a second.`;
      const bars = least === undefined ? [] : [{ figure: 'wall_s', most: count / least }];
      cases.push({ case: name, rows: count, wall_s, note, bars });
    };
    await timed('first load', first, LEAST_WRITTEN, 1);
    await timed('the same again by another run', first, LEAST_UNCHANGED, 2);
    await timed('all changed', second, undefined, 3);
    return { suite: 'ontology', cases };
  } finally {
    for (const end of ends) await end();
  }
}

/** The store over a database of its own, on a server that `WEIR_TEST_DATABASE_URL` names. */
async function benchStore(t: { teardown(end: () => unknown): void }) {
  let store: OntologyStore | undefined;
  const setup = (kernel: Kernel) =>
    registered(kernel, (own) => {
      store = own;
      return own;
    });
  const under = await testPlugin(t, definePlugin({ ...plugin.spec, setup }), { tools });
  const call = { tenant: await under.tenant('acme'), ontologyTenant: 'development' };
  const submit = (items: readonly EntityItem[], run: number, seq: number) =>
    (store as OntologyStore).submitBulk(call, { runId: runId(run), seq, type: TYPE, operation: 'upsert', items });
  return {
    /** Brings the entities, and says how many rows were written. */
    async write(items: readonly EntityItem[], run: number): Promise<number> {
      let written = 0;
      for (let at = 0; at < items.length; at += 2 * CHUNK) {
        const chunks = [items.slice(at, at + CHUNK), items.slice(at + CHUNK, at + 2 * CHUNK)];
        const jobs = await Promise.all(chunks.map((chunk, part) => submit(chunk, run, at / CHUNK + part)));
        written += jobs.reduce((sum, job) => sum + job.written, 0);
      }
      return written;
    },
  };
}

const runId = (run: number) => `0199d3f2-5c1e-7a40-9b6d-${String(run).padStart(12, '0')}`;

function made(count: number, version: number): EntityItem[] {
  return Array.from({ length: count }, (_, at) => {
    const key = `vehicle-${String(at).padStart(9, '0')}`;
    const properties = {
      vin: key,
      country: ['DE', 'FR', 'IT', 'ES'][at % 4],
      kind: ['car', 'bus', 'van'][at % 3],
      speed: at % 200,
      mileage: String(at * 1_000_003),
      name: `Vehicle ${at} of version ${version}`,
      seen_at: '2026-11-28T00:00:00Z',
      active: at % 2 === 0,
    };
    const rowHash = createHash('sha256').update(JSON.stringify(properties)).digest('hex');
    const links = [{ relationship: 'owner', targetType: 'Company', targetKey: `company-${at % 1_000}` }];
    return { key, properties, links, rowHash };
  });
}
