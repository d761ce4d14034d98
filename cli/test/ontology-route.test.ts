import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi, problem, type Routes } from './fake-api.ts';

const NOW = '2026-01-02T03:04:05Z';
const start = async (t: Parameters<typeof fakeApi>[0], routes: Routes) => {
  const api = await fakeApi(t, routes);
  const { weir } = commandLine(t);
  return { ...api, weir: (line: string) => weir([...line.split(' '), '--url', api.url]) };
};
const route = { contract: 1, changed_by: 'ada', changed_at: NOW, evidence: null };
const open = (contract: number, runs: number, executions: number) => ({
  ...{ contract, workflow_type: contract === 1 ? 'OntologySyncWorkflow' : 'OntologySyncWorkflowV2', task_queue: 'q' },
  ...{ runs, executions },
});
const shows = (...found: object[]): Routes => ({
  'GET /api/v1/ontology/sync-route': { status: 200, body: { ...route, open: found } },
});

t.test('ontology drain → 6 while a run or an execution is open, of the contract that is asked for', async (t) => {
  const { weir } = await start(t, shows(open(1, 0, 0), open(2, 3, 2)));
  t.match(await weir('ontology drain'), {
    code: 6,
    stdout: /^CONTRACT +WORKFLOW_TYPE +RUNS +EXECUTIONS.*\n +1 .*\n +2 +OntologySyncWorkflowV2 +3 +2 /,
  });
  t.match(await weir('ontology drain v2'), { code: 6 });
  t.match(await weir('ontology drain v1'), { code: 0, stdout: /OntologySyncWorkflow +0 +0 / });
  t.match(await weir('ontology drain 2'), { code: 2, stderr: /v1 or v2/ });
  const closing = await start(t, shows(open(1, 0, 0), open(2, 0, 1)));
  t.match(await closing.weir('ontology drain'), { code: 6 }, 'an execution whose run has ended');
  const empty = await start(t, shows(open(1, 0, 0), open(2, 0, 0)));
  t.match(await empty.weir('ontology drain'), { code: 0 });
});

t.test('ontology route → shown, changed, and refused with what is missing', async (t) => {
  const { weir, seen } = await start(t, {
    ...shows(open(1, 0, 0)),
    'PUT /api/v1/ontology/sync-route': {
      status: 200,
      body: { ...route, evidence: { release: 'r', looked_at: NOW, queues: [] } },
    },
  });
  t.match(await weir('ontology route show'), { code: 0, stdout: /^contract +1\nchanged_by +ada\n/ });
  t.match(await weir('ontology route v1'), { code: 0, stderr: /follow contract 1\n/ });
  t.match(await weir('ontology route v2'), { code: 0 });
  t.strictSame(
    seen.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body),
    [{ contract: 1 }, { contract: 2 }],
  );
  const missing = {
    errors: [{ pointer: 'ontology-sync-task-queue', code: 'probe_not_ended', message: 'carried out no probe' }],
  };
  const refusing = await start(t, {
    'PUT /api/v1/ontology/sync-route': problem(409, 'sync_route_not_proven', missing),
  });
  t.match(await refusing.weir('ontology route v2'), {
    code: 5,
    stderr: /ontology-sync-task-queue carried out no probe/,
  });
});
