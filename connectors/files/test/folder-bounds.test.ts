import { mkdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import t from 'tap';
import { parseConfig } from '../src/config.ts';
import { folderBounds } from '../src/folder-bounds.ts';
import { listStreams } from '../src/list-streams.ts';
import { folder } from './kit.ts';

const data = await folder({
  'secrets.json': '{"superuser":"canary"}',
  'work/config.json': '{"password":"canary"}',
});

/** The files that a configuration gives, or the code that it is refused with. */
async function listed(config: object, environment: Record<string, string>): Promise<readonly string[] | string> {
  try {
    const streams = await listStreams(parseConfig(config), await folderBounds(environment));
    return streams.flatMap(({ files }) => files.map(({ name }) => name)).sort();
  } catch (error) {
    return (error as { code: string }).code;
  }
}

t.test('WEIR_FILES_REFUSED: a folder of the platform → refused by path, by link, by glob from above', async (t) => {
  const refused = { WEIR_FILES_REFUSED: data };
  t.equal(await listed({ path: data }, refused), 'folder_not_allowed');
  t.equal(await listed({ path: join(data, 'work') }, refused), 'folder_not_allowed');
  t.equal(await listed({ path: join(data, 'absent') }, refused), 'folder_not_allowed');
  t.equal(
    await listed({ path: join(data, '..', 'x', '..') }, { WEIR_FILES_REFUSED: join(data, '..') }),
    'folder_not_allowed',
  );
  // An operator who opens the folder around it has not opened it.
  t.equal(await listed({ path: data }, { ...refused, WEIR_FILES_ROOTS: data }), 'folder_not_allowed');

  const above = await folder({ 'a.csv': 'a\n1\n', 'deep/b.csv': 'a\n1\n', 'state/c.json': '{"a":1}' });
  await symlink(data, join(above, 'link'));
  const within = { WEIR_FILES_REFUSED: [data, join(above, 'state')].join(delimiter) };
  t.equal(await listed({ path: join(above, 'link') }, within), 'folder_not_allowed');
  t.strictSame(await listed({ path: above, glob: '{*,deep/*,state/*}.{csv,json}' }, within), ['a.csv', 'deep/b.csv']);
  await symlink(join(above, 'state', 'c.json'), join(above, 'c.json'));
  t.equal(await listed({ path: above, glob: '*.json' }, within), 'folder_not_allowed');
});

t.test('WEIR_FILES_ROOTS: a folder outside of them → refused, whether it exists or not', async (t) => {
  const open = await folder({ 'in/a.csv': 'a\n1\n' });
  const other = await folder({ 'b.csv': 'a\n1\n' });
  const roots = { WEIR_FILES_ROOTS: [join(open, 'absent'), open].join(delimiter) };
  t.strictSame(await listed({ path: open, glob: '**/*.csv' }, roots), ['in/a.csv']);
  t.strictSame(await listed({ path: join(open, 'in') }, roots), ['a.csv']);
  t.equal(await listed({ path: join(open, 'gone') }, roots), 'folder_unreadable');
  for (const path of [other, join(other, 'gone'), `${open}-beside`, join(open, '..'), join(open, 'in', '..', '..')])
    t.equal(await listed({ path }, roots), 'folder_not_allowed');
  await symlink(other, join(open, 'out'));
  t.equal(await listed({ path: join(open, 'out') }, roots), 'folder_not_allowed');

  // A root that is a link opens what it leads to, by both of its names.
  await mkdir(join(other, 'deep'));
  await symlink(other, join(open, 'root'));
  for (const path of [join(open, 'root'), other]) {
    t.strictSame(await listed({ path }, { WEIR_FILES_ROOTS: join(open, 'root') }), ['b.csv']);
  }
});

t.test('WEIR_FILES_ROOTS: a name with a dot below a root → refused, unless it is a root itself', async (t) => {
  const open = await folder({
    '.config/weir/profiles.json': '{"token":"canary"}',
    'in/.x/b.json': '{"a":1}',
    'c.json': '{"a":1}',
  });
  const roots = { WEIR_FILES_ROOTS: open };
  for (const path of ['.config', '.config/weir', 'in/.x', 'in/../.config/weir', '.gone']) {
    t.equal(await listed({ path: join(open, path) }, roots), 'folder_not_allowed', path);
  }
  t.strictSame(await listed({ path: open, glob: '**/*.json' }, roots), ['c.json']);
  await symlink(join(open, '.config', 'weir'), join(open, 'plain'));
  t.equal(await listed({ path: join(open, 'plain') }, roots), 'folder_not_allowed', 'by a link');
  const named = { WEIR_FILES_ROOTS: join(open, '.config') };
  t.strictSame(await listed({ path: join(open, '.config', 'weir') }, named), ['profiles.json']);
});

t.test('no settings of folders → every folder that can be read', async (t) => {
  t.strictSame(await listed({ path: data }, {}), ['secrets.json']);
  t.strictSame(await listed({ path: data }, { WEIR_FILES_ROOTS: '/' }), ['secrets.json']);
});
