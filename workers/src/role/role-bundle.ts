import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { workflowBundle } from '../bundle/workflow-bundle.ts';
import type { Role } from './roles.ts';

/**
 * The bundled workflow code of a role. Plugins that share a role are bundled behind one entry, which names the workflows
 * of each. Throws for a workflow that two of them name.
 */
export async function roleBundle(
  { role, parts }: Pick<Role, 'role' | 'parts'>,
  cacheDir: string,
): Promise<{ codePath: string }> {
  const paths = parts.map(({ door }) => door.workflowsPath).sort();
  const [only] = paths;
  if (only !== undefined && paths.length === 1) return workflowBundle(only, cacheDir);
  const text = paths.map((path) => `export * from ${JSON.stringify(path)};\n`).join('');
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const entry = join(cacheDir, `roles-${role}-${name}`, 'workflows.mjs');
  await mkdir(dirname(entry), { recursive: true });
  const draft = `${dirname(entry)}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, entry);
  return workflowBundle(entry, cacheDir);
}
