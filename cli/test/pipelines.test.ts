import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';
import { IDS } from './shapes.ts';

const id = IDS.source;
const named = {
  status: 200,
  body: { items: [{ pipeline_id: id, name: 'fleet' }], next_page_token: null, total: null },
};
const valid = { valid: true, fingerprint: 'f', waves: [['trips'], ['cars', 'days']], steps: [], faults: [] };
const fault = { code: 'cycle', step_id: 'cars', pointer: '/steps/1', detail: 'It waits for itself: cars → cars.' };

t.test('validating ends with 6 and names each fault with its step; it may take as long as it is given', async (t) => {
  let found: object = valid;
  const api = await fakeApi(t, {
    'GET /api/v1/pipelines': named,
    'POST /api/v1/pipelines/validate-dag': () => ({ status: 200, body: found }),
  });
  const { weir: run, home } = commandLine(t);
  const weir = (...args: string[]) => run([...args, '--url', api.url]);
  t.match(await weir('pipelines', 'validate', 'fleet', '--timeout', '600'), {
    code: 0,
    stdout: /2\s+cars, days/,
    stderr: /can be rehearsed/,
  });
  t.match(api.seen.at(-1)?.body, { pipeline_id: id });
  t.match(await weir('pipelines', 'validate', 'fleet', '--timeout', 'long'), { code: 2, stderr: /600|duration/ });
  found = { ...valid, valid: false, faults: [fault] };
  t.match(await weir('pipelines', 'validate', 'fleet'), {
    code: 6,
    stdout: /cars\s+cycle\s+It waits/,
    stderr: /1 fault/,
  });
  t.match(await weir('pipelines', 'validate'), { code: 2, stderr: /either a pipeline, or a file/ });
  t.match(await weir('pipelines', 'validate', 'fleet', '-f', `${home}/none.yaml`), { code: 2 });
});

t.test('a version is read by its number; a difference ends with 7', async (t) => {
  const at = `/api/v1/pipelines/${id}`;
  const changed = { step_id: 'cars', change: 'changed', members: ['artifact_id', 'after'], from: null, to: null };
  const api = await fakeApi(t, {
    'GET /api/v1/pipelines': named,
    [`GET ${at}`]: { status: 200, body: { pipeline_id: id, name: 'fleet', steps: [] } },
    [`GET ${at}/versions/2`]: { status: 200, body: { pipeline_id: id, version: 2, steps: [] } },
    [`GET ${at}/versions/1/difference`]: ({ url }) => ({
      status: 200,
      body:
        url.searchParams.get('to') === '2'
          ? { from: 1, to: 2, same: false, publish: { from: 'each', to: 'together' }, steps: [changed] }
          : { from: 1, to: 1, same: true, publish: null, steps: [] },
    }),
  });
  const { weir: run } = commandLine(t);
  const weir = (...args: string[]) => run([...args, '--url', api.url]);
  t.match(await weir('pipelines', 'get', 'fleet'), { code: 0, stdout: /fleet/ });
  t.match(await weir('pipelines', 'get', 'fleet', '--version', '2'), { code: 0, stdout: /version\s+2/ });
  t.match(await weir('pipelines', 'get', 'fleet', '--version', 'two'), { code: 2, stderr: /is a number/ });
  t.match(await weir('pipelines', 'difference', 'fleet', '1', '2'), {
    code: 7,
    stdout: /cars\s+changed\s+artifact_id, after/,
    stderr: /each → together/,
  });
  t.match(await weir('pipelines', 'difference', 'fleet', '1', '1'), { code: 0 });
});
