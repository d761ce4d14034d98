import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';

const limits = {
  ...{ tenant: 'acme', runs_per_day: 0, concurrent_runs: 5, storage_bytes: null, changed_by: 'ada', changed_at: null },
  effective: { runs_per_day: null, concurrent_runs: 5, storage_bytes: 100 },
  used: { runs_today: 7, open_runs: 2, storage_bytes: 40 },
};

t.test('tenants limits shows what was chosen, what holds and what is used; set changes what is named', async (t) => {
  const api = await fakeApi(t, {
    'GET /api/v1/tenants/acme/limits': { status: 200, body: limits },
    'PUT /api/v1/tenants/acme/limits': { status: 200, body: limits },
  });
  const { weir } = commandLine(t);
  const run = (line: string) => weir(`tenants limits ${line} --url ${api.url}`.split(' '));
  t.match(await run('acme'), {
    code: 0,
    stdout:
      /^LIMIT +OWN +EFFECTIVE +USED\nruns_per_day +none +none +7\nconcurrent_runs +5 +5 +2\nstorage_bytes +default +100 +40\n$/,
  });
  t.match(await run('acme -o json --query effective.storage_bytes'), { stdout: '100\n' });
  t.match(await run('set acme --concurrent-runs default --storage-bytes none'), { code: 0 });
  t.match(await run('set acme --runs-per-day 12'), { code: 0 });
  t.strictSame(
    api.seen.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body),
    [
      { runs_per_day: 0, concurrent_runs: null, storage_bytes: 0 },
      { runs_per_day: 12, concurrent_runs: 5, storage_bytes: null },
    ],
  );
  t.match(await run('set acme'), { code: 2, stderr: /No limit was named/ });
  for (const wrong of ['-1', '0', '1.5', 'many', '99999999999999999']) {
    t.match(await run(`set acme --runs-per-day=${wrong}`), { code: 2, stderr: /--runs-per-day/ }, wrong);
  }
});
