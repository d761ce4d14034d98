import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { referencePages } from '../test/docs/reference/pages.ts';
import { testPlatform } from '../test/platform.ts';
import { startServices } from '../test/services.ts';

const FOLDER = path.join(import.meta.dirname, 'reference');
const say = (line: string) => void process.stderr.write(`${line}\n`);

/** `npm run docs`: boots the platform as deployed and writes the reference from what it has. */
async function main(): Promise<void> {
  const services = await startServices(process.env, say);
  Object.assign(process.env, services.addresses);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-docs-'));
  const ends: (() => unknown)[] = [];
  try {
    const world = await testPlatform({ teardown: (work) => void ends.unshift(work) }, folder);
    await mkdir(FOLDER, { recursive: true });
    for (const [name, text] of await referencePages(world)) {
      await writeFile(path.join(FOLDER, name), text);
      say(`  ✓ docs/reference/${name}`);
    }
  } finally {
    for (const end of ends) await end();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
