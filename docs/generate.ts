import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performancePage } from '../bench/performance/performance-page.ts';
import { storedResults } from '../bench/performance/stored-result.ts';
import { referencePages } from '../test/docs/reference/pages.ts';
import { testPlatform } from '../test/platform.ts';
import { startServices } from '../test/services.ts';

const FOLDER = path.join(import.meta.dirname, 'reference');
const say = (line: string) => void process.stderr.write(`${line}\n`);

/** `npm run docs`: writes what was measured, then boots the platform as deployed and writes the reference from it. */
async function main(): Promise<void> {
  await writeFile(path.join(import.meta.dirname, 'performance.md'), performancePage(await storedResults()));
  say('  ✓ docs/performance.md');
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
