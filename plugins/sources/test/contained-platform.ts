import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type TestPlatform, testPlatform } from './platform.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const read = async (name: string) => JSON.parse(await readFile(join(FIXTURES, name), 'utf8'));

/** The platform with such settings, whose patterns are that of a connector in a container, each with such changes. */
export async function containedPlatform(
  t: Test,
  changes: readonly object[],
  settings: Readonly<Record<string, string>>,
): Promise<TestPlatform> {
  const WEIR_PLATFORM = await containedManifest(t.testdir(), changes);
  return testPlatform(t, async () => ({ WEIR_PLATFORM, ...settings }));
}

/** Writes a deployment's manifest with these patterns into a folder. */
async function containedManifest(folder: string, changes: readonly object[]): Promise<string> {
  const [pattern, manifest] = [await read('contained/pattern.json'), await read('platform-contained.json')];
  await mkdir(join(folder, 'patterns'));
  for (const change of changes) {
    const changed = { ...pattern, ...change };
    await writeFile(join(folder, 'patterns', `${changed.id}.json`), JSON.stringify(changed));
  }
  const file = join(folder, 'platform.json');
  await writeFile(file, JSON.stringify({ ...manifest, patterns: ['patterns'] }));
  return file;
}
