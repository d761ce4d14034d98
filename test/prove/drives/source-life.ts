import { randomUUID } from 'node:crypto';
import type { Drive, Proof, ProofMode } from '../proof.ts';
import type { PlantedConfig } from '../secrets.ts';
import { abuse } from './abuse.ts';
import { drives } from './api.ts';
import { commandLine } from './command-line.ts';
import { credentialLife } from './credential-life.ts';
import { documents } from './documents.ts';
import { leaveLegacy, migrateLegacy } from './migration.ts';
import { type PatternWithCredentials, patternsWithCredentials } from './patterns.ts';
import { readEverything } from './read-everything.ts';

/** The pattern that says its configuration wherever it can. */
const LEAKY = 'leaky';
/** How discoveries and syncs of a connector end that is up to no good; the first ones belong to a short proof. */
const HABITS = [
  { habit: 'says', discovery: 'succeeded', sync: 'succeeded' },
  { habit: 'fails', discovery: 'failed', sync: 'failed' },
  { habit: 'describes', discovery: 'succeeded', sync: 'succeeded' },
  { habit: 'dies', discovery: 'failed', sync: 'failed' },
  { habit: 'names', discovery: 'failed', sync: 'succeeded' },
  { habit: 'states', discovery: 'succeeded', sync: 'failed' },
] as const;
const SHORT_HABITS = 3;
/** What a connector of that pattern describes where it is up to no harm. */
const ROWS = { type: 'object', properties: { id: { type: 'integer' }, s: { type: 'string' } } };
const STREAMS = [{ name: 'rows', schema: ROWS, supported_sync_modes: ['full_refresh'] }];
const CREATED = [201];

/** One source on its way through the drive. */
export interface Life {
  readonly proof: Proof;
  readonly mode: ProofMode;
  readonly pattern: PatternWithCredentials;
  readonly branch: number;
  readonly name: string;
}

/** What a request that makes a source says of the credentials, as its mode wants it. */
function credentialsOf(planted: PlantedConfig, mode: ProofMode, name: string): Record<string, unknown> {
  const values = { source_config: planted.visible, credential_values: planted.secret };
  return mode === 'secret_store' ? { ...values, credential_name: name } : values;
}

/** The whole life of a source with credentials, for each pattern and each branch of its choices. */
export const sourceLife: Drive = {
  name: 'the life of a source',
  modes: ['legacy_inline', 'secret_store'],
  before: leaveLegacy,
  async run(proof, mode) {
    const patterns = await patternsWithCredentials(proof, mode);
    for (const pattern of patterns) {
      const branches = proof.effort === 'short' ? 1 : pattern.branches;
      for (let branch = 0; branch < branches; branch += 1) {
        const life = { proof, mode, pattern, branch, name: `${mode.replace('_', '-')}-${pattern.id}-${branch}` };
        const all = proof.effort === 'short' ? HABITS.slice(0, SHORT_HABITS) : HABITS;
        const habits = pattern.id === LEAKY && branch === 0 ? all : [];
        await Promise.all([live(life), ...habits.map((habit) => badHabit(life, habit))]);
      }
    }
    await commandLine(proof, mode);
    await documents(proof, mode, patterns);
    if (mode === 'secret_store') await migrateLegacy(proof);
    await controlRows(proof);
    await readEverything(proof);
  },
};

async function live(life: Life): Promise<void> {
  const { proof, mode, pattern, branch, name } = life;
  const { must, any, ends } = drives(proof, name);
  const planted = pattern.plant(branch);
  const body = { name, pattern_id: pattern.id, ...credentialsOf(planted, mode, name) };
  const again = { 'idempotency-key': randomUUID() };
  const created = await must(CREATED, { method: 'POST', path: '/sources', body, headers: again });
  await must(CREATED, { method: 'POST', path: '/sources', body, headers: again });
  await must([409, 422], {
    method: 'POST',
    path: '/sources',
    body: { ...body, source_config: { password: 1 } },
    headers: again,
  });
  await must([409], { method: 'POST', path: '/sources', body });
  const id = String(created.body.source_id ?? '');
  if (id === '') return;
  for (const who of ['admin', 'viewer', 'foreign', 'nobody'] as const)
    for (const path of ['', '/readiness', '/credentials'])
      await any({ method: 'GET', path: `/sources/${id}${path}`, label: `/sources/{id}${path}`, who });
  await must([200], {
    method: 'PATCH',
    path: `/sources/${id}`,
    label: '/sources/{id}',
    body: { name: `${name}-renamed` },
  });
  // What was planted opens nothing real, so that a connector of the world outside fails with it, and may say so.
  const wanted = pattern.id === LEAKY ? 'succeeded' : undefined;
  const discovered = await ends(wanted, await discover(life, { source_id: id }), discoveryPath);
  const unmade = pattern.plant(branch);
  const pending = { pattern_id: pattern.id, source_config: unmade.visible, credential_values: unmade.secret };
  const pendingDiscovery = await discover(life, pending);
  await ends(wanted, pendingDiscovery, discoveryPath);
  const taken = { name: `${name}-taken`, pattern_id: pattern.id, source_config: unmade.visible };
  const credential = mode === 'secret_store' ? { credential_name: `${name}-taken` } : {};
  const { workflow_id } = pendingDiscovery.body;
  await must(CREATED, { method: 'POST', path: '/sources', body: { ...taken, ...credential, workflow_id } });
  if (discovered === 'succeeded') await sync(life, id, 'succeeded');
  await credentialLife(life, id);
  if (branch === 0) await abuse(proof, mode, id, pattern.id);
  if (branch !== 0) await must([204], { method: 'DELETE', path: `/sources/${id}`, label: '/sources/{id}' });
}

const discoveryPath = (workflow: string) => `/sources/discover/status/${workflow}`;

const discover = ({ proof, name }: Life, body: object) =>
  drives(proof, name).must([202], { method: 'POST', path: '/sources/discover', body });

async function sync({ proof, name }: Life, id: string, wanted: 'succeeded' | 'failed'): Promise<void> {
  const { must, any, ends } = drives(proof, name);
  const { body } = await any({ method: 'GET', path: `/sources/${id}/streams`, label: '/sources/{id}/streams' });
  for (const { stream_id } of (body.items ?? []) as { stream_id: string }[]) {
    const change = { enabled: true, sync_mode: 'full_refresh', write_mode: 'overwrite' };
    const path = `/sources/${id}/streams/${stream_id}`;
    await any({ method: 'PATCH', path, label: '/sources/{id}/streams/{stream_id}', body: change });
  }
  const started = await must([202], { method: 'POST', path: `/sources/${id}/sync`, label: '/sources/{id}/sync' });
  await ends(wanted, started, (workflow) => `/sources/sync-runs/${workflow}/details`);
}

/** A source of its own whose connector says its configuration, fails with it, or dies with it, at each thing it does. */
async function badHabit({ proof, mode, pattern, name: first }: Life, wanted: (typeof HABITS)[number]) {
  const { habit } = wanted;
  const name = `${first}-${habit}`;
  const life = { proof, mode, pattern, name, branch: 0 };
  const { must, ends } = drives(proof, name);
  const planted = pattern.plant(0);
  const made = { name, pattern_id: pattern.id, ...credentialsOf(planted, mode, name) };
  const { body } = await must(CREATED, { method: 'POST', path: '/sources', body: made });
  const id = String(body.source_id ?? '');
  await must([200], {
    method: 'POST',
    path: `/sources/${id}/streams/refresh-schema`,
    label: '/sources/{id}/streams/refresh-schema',
    body: { streams: STREAMS },
  });
  const change = { source_config: { habit } };
  await must([200], { method: 'PATCH', path: `/sources/${id}`, label: '/sources/{id}', body: change });
  await ends(wanted.discovery, await discover(life, { source_id: id, apply: false }), discoveryPath);
  await sync(life, id, wanted.sync);
}

/** The control of the warehouse: a connector writes it into its rows, and what is in rows is kept as it is. */
async function controlRows(proof: Proof): Promise<void> {
  const control = proof.ledger.planted().find(({ mode, field }) => mode === 'control' && field === 'warehouse');
  const name = `control-rows-${randomUUID().slice(0, 8)}`;
  const { must, ends } = drives(proof, name);
  const body = { name, pattern_id: 'says-rows', source_config: { note: control?.text ?? '' } };
  const { body: made } = await must(CREATED, { method: 'POST', path: '/sources', body });
  const life = { proof, name } as Life;
  const discovery = await discover(life, { source_id: made.source_id });
  await ends('succeeded', discovery, discoveryPath);
  await sync(life, String(made.source_id), 'succeeded');
}
