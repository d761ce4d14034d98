import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const run = promisify(execFile);
const CHILD = fileURLToPath(new URL('../src/child/sync-child.ts', import.meta.url));
/** Prints, as the process ends, the packages whose code it has loaded. */
const TOLD = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
process.on('exit', () => console.log(JSON.stringify(loaded)));
`)}`;

t.test(
  'the process of an attempt begins without the schemas of any contract, and without what types rows or runs containers',
  async (t) => {
    const flags = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', '--import', TOLD];
    // Without a parent that it could talk to it ends as soon as its code is loaded.
    const { stdout } = await run(process.execPath, [...flags, CHILD], { maxBuffer: 1 << 24 });
    const loaded = JSON.parse(stdout) as string[];
    t.ok(loaded.some((url) => url.endsWith('/child/sync-child.ts')));
    for (const heavy of ['/@sinclair/typebox/', '/kernel/src/', '/@duckdb/', '/dockerode/']) {
      t.notOk(
        loaded.find((url) => url.includes(heavy)),
        `nothing of ${heavy}`,
      );
    }
  },
);
