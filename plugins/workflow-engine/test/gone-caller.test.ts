import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { engineUnderTest } from './kit.ts';

t.test('a wait whose caller hangs up ends on the server too', async (t) => {
  const under = await engineUnderTest(t);
  const { run_id } = await under.start(await under.tenant('acme'));
  let looks = 0;
  const { find } = under.kernel.runs;
  under.kernel.runs.find = (...asked) => {
    looks += 1;
    return find(...asked);
  };
  const url = await under.app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { ...(await under.as('acme').headers()), 'content-type': 'application/json' };
  const hangUp = new AbortController();
  const asked = fetch(`${url}/api/v1/workflow-engine/workflows/${run_id}/wait`, {
    method: 'POST',
    headers,
    body: '{"timeout_seconds":60}',
    signal: hangUp.signal,
  });
  while (looks === 0) await setTimeout(10);
  hangUp.abort();
  await t.rejects(asked, { name: 'AbortError' });
  for (let seen = -1; seen !== looks; ) {
    seen = looks;
    // Longer than the longest pause between two looks.
    await setTimeout(1_500);
  }
  t.ok(looks > 0, 'nobody looks any more');
});
