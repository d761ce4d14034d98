import t from 'tap';
import { until } from '../../../test/until.ts';
import { waitForWorkflow } from '../src/contract.ts';
import { engineUnderTest } from './kit.ts';

t.test('a wait whose caller hangs up ends on the server too', async (t) => {
  const under = await engineUnderTest(t);
  const acme = await under.tenant('acme');
  const { run_id } = await under.start(acme);
  const { workflow_id: other } = await under.start(acme);
  let looks = 0;
  const { find } = under.kernel.runs;
  under.kernel.runs.find = (...asked) => {
    if (asked[1] === run_id) looks += 1;
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
  await until('the server looks', () => looks > 0);
  hangUp.abort();
  await t.rejects(asked, { name: 'AbortError' });
  const isQuiet = async () => {
    const before = looks;
    // Another wait on the same server that outlasts the longest pause between two looks.
    const params = { workflow_id: other };
    t.ok((await under.as('acme').call(waitForWorkflow, { params, body: { timeout_seconds: 2 } })).ok);
    return looks === before;
  };
  t.ok(await until('the wait of the caller that has gone looks no more', isQuiet));
});
