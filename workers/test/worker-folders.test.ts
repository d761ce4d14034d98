import { join } from 'node:path';
import t from 'tap';
import { workerFolders } from '../src/process/worker-folders.ts';

t.test('the folders of a worker → from values, from files that hold them, else among temporary files', async (t) => {
  const folder = t.testdir({ work: '/srv/work\n', cache: '/srv/cache\n', state: '/srv/state\n' });
  const files = {
    WEIR_WORK_DIR_FILE: join(folder, 'work'),
    WEIR_CACHE_DIR_FILE: join(folder, 'cache'),
    WEIR_STATE_DIR_FILE: join(folder, 'state'),
  };
  t.strictSame(workerFolders(files), { work: '/srv/work', cache: '/srv/cache', state: '/srv/state' });
  t.match(workerFolders({ WEIR_WORK_DIR: '/w' }), { work: '/w', cache: /weir-cache$/, state: /weir-state-\w+$/ });
  t.throws(() => workerFolders({ ...files, WEIR_WORK_DIR: '/w' }), {
    name: 'Refusal',
    message: /WEIR_WORK_DIR and WEIR_WORK_DIR_FILE are both set/,
  });
});
