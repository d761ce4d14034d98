import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Proof, ProofMode } from '../proof.ts';
import { canary } from '../search/canary.ts';
import { drives } from './api.ts';
import type { PatternWithCredentials } from './patterns.ts';

const OK = 0;
const YAML = { 'content-type': 'application/yaml', accept: 'application/yaml' };
const EVERYONE = ['admin', 'editor', 'viewer', 'foreign', 'nobody'] as const;

const envelope = (kind: string, name: string, spec: object) => ({
  apiVersion: 'service.platform/v1',
  kind,
  metadata: { name },
  spec,
});

/** Every write-only member of every kind of documents, planned, applied and exported, and values where none belong. */
export async function documents(
  proof: Proof,
  mode: ProofMode,
  patterns: readonly PatternWithCredentials[],
): Promise<void> {
  const { must, any } = drives(proof, 'documents');
  const secret = (field: string) => {
    const made = canary(mode, `documents: ${field}`);
    proof.ledger.plant(made);
    return made.text;
  };
  const sources = () => patterns.map((pattern) => sourceOf(mode, pattern));
  const hook = (name: string) =>
    envelope('Webhook', name, {
      url: `https://${secret('user')}:x@127.0.0.1:9/${secret('address')}?token=${secret('query')}`,
      events: ['run.failed'],
    });
  const post = (path: string, body: object, more: object = {}) => ({ method: 'POST' as const, path, body, ...more });
  const docs = [...sources(), hook('refused-address')];
  for (const who of EVERYONE) await any(post('/apply/dry-run', { docs }, { who }));
  const planned = await must([200], post('/apply/dry-run', { docs }));
  const { fingerprint, summary } = planned.body as { fingerprint: string; summary: { error: number } };
  if (summary.error > 0) proof.fault(`documents: ${summary.error} of them are invalid`);
  await must([422], post('/apply', { docs }));
  await must([409], post('/apply', { docs: docs.toReversed(), fingerprint }));
  for (const who of ['viewer', 'foreign'] as const) await any(post('/apply', { docs, fingerprint }, { who }));
  const applied = await must([200], post('/apply', { docs, fingerprint }));
  const outcomes = (applied.body.results as { outcome: string }[]).map(({ outcome }) => outcome);
  const wanted = docs.map(({ kind }) => (kind === 'Webhook' ? 'failed' : 'applied'));
  if (outcomes.join() !== wanted.join()) proof.fault(`documents: applied as ${outcomes.join(', ')}`);
  const rotated = sources();
  const again = await must([200], post('/apply/dry-run', { docs: rotated }));
  const lines = { headers: { accept: 'application/x-ndjson' } };
  await must([200], post('/apply', { docs: rotated, fingerprint: again.body.fingerprint }, lines));
  const yaml = { method: 'POST', path: '/apply/dry-run', headers: YAML } as const;
  await must([200], { ...yaml, raw: stringify({ docs: sources() }) });
  await must([400], { ...yaml, raw: `docs: [{spec: {password: !!binary ${secret('YAML that JSON cannot hold')}}}]` });
  await must([200], post('/apply/dry-run', { docs: misplaced(secret) }));
  await must([409], post('/apply', { docs: misplaced(secret), fingerprint }));
  for (const headers of [{}, { accept: YAML.accept }]) await must([200], { method: 'GET', path: '/export', headers });
  await byCommands(proof, mode, [...sources(), hook('refused-again')]);
}

function sourceOf(mode: ProofMode, pattern: PatternWithCredentials) {
  const name = `documents-${mode.replace('_', '-')}-${pattern.id}`;
  const { whole, visible, secret } = pattern.plant(0);
  const stored = { source_config: visible, credential_values: secret, credential_name: name };
  const spec = mode === 'secret_store' ? stored : { source_config: whole };
  return envelope('Source', name, { pattern_id: pattern.id, ...spec });
}

/** Values in places that take none. */
function misplaced(secret: (field: string) => string): object[] {
  const config = { habit: 'quiet' };
  const source = (spec: object) =>
    envelope('Source', 'misplaced', { pattern_id: 'leaky', source_config: config, ...spec });
  return [
    source({ source_config: { ...config, pasword: secret('misspelt field') } }),
    source({ source_config: { habit: secret('word of a list'), password: { value: secret('wrong type') } } }),
    source({ credential_values: secret('text for values') }),
    source({ credential_values: { '/nobody': secret('undeclared credential') } }),
    source({ credential_name: secret('name of a credential') }),
    source({ credential_ref: secret('reference') }),
    source({ [secret('name of a member')]: secret('unknown member') }),
    envelope('Source', secret('name'), {}),
    envelope(secret('kind'), 'x', {}),
    envelope('Webhook', 'y', { url: secret('no address'), events: [secret('event')] }),
    envelope('IdentityPolicy', 'z', { kind: 'access', document: { cedar: `permit ("${secret('policy')}` } }),
    envelope('Transform', 'w', { sql: `select '${secret('statement')}`, output: secret('output') }),
    { apiVersion: secret('version'), [secret('name of a part')]: secret('part') },
  ];
}

/** The same by commands; what they print is among the logs, and what they export among what is left behind. */
async function byCommands({ platform, fault }: Proof, mode: ProofMode, docs: readonly object[]): Promise<void> {
  const file = join(platform.folder.client, `documents-${mode}.yaml`);
  await writeFile(file, docs.map((one) => stringify(one)).join('---\n'), { mode: 0o600 });
  const weir = async (ends: 'well' | 'badly', ...words: string[]) => {
    const code = await platform.weir(`documents-${mode}-${words[0]}`, [...words, '-v', '--debug']);
    if ((code === OK) !== (ends === 'well')) fault(`weir ${words[0]} ended with ${code}`);
  };
  await weir('well', 'diff', '-f', file);
  await weir('badly', 'apply', '-f', file, '--yes');
  await weir('well', 'export', '-d', 'exported');
}
