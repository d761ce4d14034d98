import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { workflowBundle } from '../src/bundle/workflow-bundle.ts';

t.test('a changed module outside the workflows folder → a new bundle; nothing changed → the kept one', async (t) => {
  const root = t.testdir({ workflows: {}, kit: {} });
  const write = (file: string, text: string) => writeFileSync(path.join(root, file), text);
  write(
    'workflows/index.ts',
    "import { word } from '../kit/kit.ts';\nexport const Say = async (): Promise<string> => word;\n",
  );
  write('kit/kit.ts', "import { inner } from './inner.ts';\nexport const word: string = inner;\n");
  write('kit/inner.ts', "export const inner = 'said-at-first';\n");
  const cache = path.join(root, 'cache');
  const entry = path.join(root, 'workflows/index.ts');

  const first = await workflowBundle([entry], cache);
  t.match(readFileSync(first.codePath, 'utf8'), 'said-at-first');
  const { ino } = statSync(first.codePath);
  t.strictSame(await workflowBundle([entry], cache), first);
  t.equal(statSync(first.codePath).ino, ino, 'kept, not written again');

  write('kit/inner.ts', "export const inner = 'said-later';\n");
  const second = await workflowBundle([entry], cache);
  t.not(second.codePath, first.codePath);
  t.match(readFileSync(second.codePath, 'utf8'), 'said-later');

  t.equal(readFileSync(first.codePath, 'utf8').includes('said-later'), false, 'a running worker keeps its file');
});

t.test('plugins that share a role are one bundle; a workflow that two of them name is refused', async (t) => {
  const root = t.testdir({ one: {}, two: {} });
  const write = (file: string, name: string) =>
    writeFileSync(path.join(root, file), `export const ${name} = async (): Promise<string> => 'said-by-${name}';\n`);
  write('one/index.ts', 'Say');
  write('two/index.ts', 'Sing');
  const paths = ['two', 'one'].map((name) => path.join(root, name, 'index.ts'));
  // Operators keep the cache outside of every node_modules.
  const cache = mkdtempSync(path.join(tmpdir(), 'weir-cache-'));
  t.teardown(() => rmSync(cache, { recursive: true }));
  const { codePath } = await workflowBundle(paths, cache);
  t.strictSame(await workflowBundle(paths.toReversed(), cache), { codePath }, 'kept, in whatever order they come');
  const code = readFileSync(codePath, 'utf8');
  for (const name of ['Say', 'Sing']) t.match(code, `said-by-${name}`);
  write('two/index.ts', 'Say');
  await t.rejects(workflowBundle(paths, cache), /cannot be bundled: .* conflicting star exports for the name 'Say'/);
});
