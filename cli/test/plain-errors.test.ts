import { type Endpoint, kernelProblems, type ProblemType } from '@weir/kernel/contract';
import * as datasets from '@weir/plugin-datasets/contract';
import * as identity from '@weir/plugin-identity/contract';
import * as platform from '@weir/plugin-platform/contract';
import * as runs from '@weir/plugin-runs/contract';
import * as sources from '@weir/plugin-sources/contract';
import * as transforms from '@weir/plugin-transforms/contract';
import * as webhooks from '@weir/plugin-webhooks/contract';
import * as engine from '@weir/plugin-workflow-engine/contract';
import t from 'tap';
import { endpointsOf } from '../src/command/endpoint-command.ts';
import { commands } from '../src/commands.ts';
import { COMMANDS_OF_CALLS, inCommands } from '../src/hint-commands.ts';
import { commandLine } from './command-line.ts';
import { fakeApi, problem } from './fake-api.ts';

const CONTRACTS = [datasets, identity, platform, runs, sources, transforms, webhooks, engine];
const HTTP = /\b(GET|POST|PUT|PATCH|DELETE) \/|openapi\.json|X-Tenant-ID/;

t.test('every hint that an endpoint may give → no call of HTTP at a terminal, but a command that exists', async (t) => {
  const endpoints: Endpoint[] = CONTRACTS.flatMap((contract) => endpointsOf(contract));
  const problems: ProblemType[] = [...Object.values(kernelProblems), ...endpoints.flatMap(({ errors = [] }) => errors)];
  const hints = new Map(problems.map(({ entry }) => [entry.code, entry.hint]));
  t.ok([...hints.values()].filter((hint) => HTTP.test(hint)).length > 8, 'the API speaks of calls');
  for (const [code, hint] of hints) {
    const shown = inCommands(hint, code).replace(/weir api (GET|POST|PUT|PATCH|DELETE) \S+/g, '');
    t.notMatch(shown, HTTP, code);
  }
  const words = commands().flatMap(({ paths = [] }) => paths.map((path) => path.join(' ')));
  for (const command of Object.values(COMMANDS_OF_CALLS)) {
    const named = command.replace(/^weir | [<-].*$/g, '');
    t.ok(words.includes(named), command);
  }
  t.equal(inCommands('Remove some (GET /uploads), please.'), 'Remove some (weir api GET /uploads), please.');
});

t.test('a value that breaks a rule → the flag and the rule, on one line each', async (t) => {
  const { weir } = commandLine(t);
  const refusal = problem(400, 'validation_failed');
  const errors = [
    { pointer: '/query/limit', code: 'maximum', message: 'must be from 1 to 500' },
    { pointer: '', code: 'additionalProperties', message: 'has an unknown member; did you mean `path`?' },
    { pointer: '/name', code: 'format' },
  ];
  const fake = await fakeApi(t, {
    'GET /api/v1/sources': {
      ...refusal,
      body: { ...(refusal.body as object), errors, hint: 'GET /patterns/discover' },
    },
  });
  const { stderr, code } = await weir(`sources list --limit 501 --url ${fake.url}`);
  t.equal(code, 2);
  t.match(stderr, /\n {2}--limit must be from 1 to 500.*\n {2}The body has an unknown member; did you mean `path`\?\n/);
  t.match(stderr, /\n {2}\/name: format\nhint: weir patterns list\n/);
});
