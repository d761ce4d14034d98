import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Proof, ProofMode } from '../proof.ts';
import { canary } from '../search/canary.ts';

const OK = 0;

/** Credentials given on the command line by files, with calls that fail; what it prints is among the logs. */
export async function commandLine({ platform, ledger, effort, fault }: Proof, mode: ProofMode): Promise<void> {
  const source = `cli-${mode.replace('_', '-')}`;
  let calls = 0;
  const weir = async (ends: 'well' | 'badly', ...words: string[]) => {
    calls += 1;
    const code = await platform.weir(`${source}-${calls}`, [...words, '-v', '--debug', '-o', 'json']);
    if ((code === OK) !== (ends === 'well')) fault(`weir ${words.slice(0, 3).join(' ')} ended with ${code}`);
  };
  const field = async (name: string) => {
    const made = canary(mode, `command line: ${name} ${calls}`);
    ledger.plant(made);
    const file = join(platform.folder.client, `${source}-${calls}.txt`);
    await writeFile(file, made.text, { mode: 0o600 });
    return ['--field', `${name}=@${file}`];
  };
  const named = mode === 'secret_store' ? ['--credential-name', source] : [];
  const create = ['sources', 'create', '--pattern', 'leaky', '--name', source, '--set', 'habit=quiet', ...named];
  await weir('well', ...create, ...(await field('password')));
  await weir('badly', ...create, ...(await field('nobody')));
  const inStore = mode === 'secret_store' ? 'well' : 'badly';
  await weir(inStore, 'sources', 'credentials', 'rotate', source, ...(await field('password')));
  if (effort === 'short') return;
  await weir('badly', ...create, ...(await field('password')));
  await weir('well', 'sources', 'get', source);
  await weir(inStore, 'sources', 'credentials', 'get', source);
  await weir('badly', 'sources', 'credentials', 'rotate', source, ...(await field('nobody')));
  await weir('badly', 'sources', 'credentials', 'rotate', 'nobody', ...(await field('password')));
}
