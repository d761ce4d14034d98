import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { workFolders } from '../src/index.ts';

t.test('folders of processes that ended → removed, also of one with our own id; ours stay', async (t) => {
  const root = t.testdir();
  const begun = () => workFolders(root, (folder) => t.fail(`${folder} is left`));
  const folders = begun();
  const own = await folders.make('new');
  const ended = spawn(process.execPath, ['-e', '']);
  await once(ended, 'exit');
  const names = [`${ended.pid}-lost`, `${process.pid}-old`, `${process.ppid}-other`, 'other'];
  for (const name of names) await mkdir(join(root, 'attempts', name, 'drafts'), { recursive: true });
  await utimes(join(root, 'attempts', `${process.pid}-old`), 1, 1);
  const next = await begun().make('next');
  await folders.remove(next);
  const left = (await readdir(join(root, 'attempts'))).toSorted();
  t.strictSame(left, [`${process.pid}-new`, `${process.ppid}-other`, 'other'].toSorted());
  await folders.remove(own);
  t.notOk((await readdir(join(root, 'attempts'))).includes(`${process.pid}-new`));
});
