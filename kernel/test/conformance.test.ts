import { defineEntity, p } from '@mikro-orm/core';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { Closed, endpoint, permission, problem } from '../src/contract.ts';
import { definePlugin, handle, type Registration } from '../src/index.ts';
import { conformance, type DeployedPlugin, type Suite } from '../src/testing.ts';

const entry = (code: string, hint = 'Do that.') => ({ code, status: 409, title: 'T', detail: 'D', hint });
const Own = problem(entry('own_code'));
const Row = (properties: object) => defineEntity({ name: 'Row', properties: properties as { id: unknown } } as never);

/** A plugin of one endpoint and one table that keeps every rule, with the given changes. */
function deployed(changes: {
  manifest?: object;
  endpoint?: object;
  registration?: Partial<Registration>;
  problems?: Record<string, ReturnType<typeof problem>>;
  columns?: object;
}): DeployedPlugin {
  const create = endpoint({
    id: 'notes.create_note',
    method: 'POST',
    path: '/notes/:book',
    summary: 'Write a note',
    access: permission('notes:write', 'pipeline_editor', { capability: 'note:write' }),
    params: Type.Object({ book: Type.String() }),
    body: Closed({ text: Type.String() }),
    errors: [Own],
    ...changes.endpoint,
  });
  const registration = { routes: [handle(create, async () => undefined as never)], ...changes.registration };
  const plugin = definePlugin({
    id: 'notes',
    problems: changes.problems ?? { own: Own },
    entities: [Row(changes.columns ?? { id: p.uuid().primary(), tenantId: p.uuid().primary() })],
    setup: () => registration,
  });
  const manifest = {
    ...{ id: 'notes', kernel: '*', tenancy: 'opt-in' as const, prefixes: ['/notes'] },
    permissions: { 'notes:write': 'Write notes' },
    ...changes.manifest,
  };
  return { manifest, plugin, registration };
}

/** What each rule finds, without the rules that find nothing. */
async function findings(plugin: DeployedPlugin): Promise<string[]> {
  const found: string[] = [];
  const work: unknown[] = [];
  const suite: Suite = {
    test: (_name, body) => work.push(body({ strictSame: (faults) => found.push(...(faults as string[])) })),
  };
  conformance(suite, plugin);
  await Promise.all(work);
  return found;
}

t.test('a plugin that keeps the rules passes, one test for each rule', async (t) => {
  t.strictSame(await findings(deployed({})), []);
  conformance(t, deployed({}));
});

t.test('each rule finds what breaks it, by name', async (t) => {
  const open = Type.Object({ text: Type.String() });
  const cases: [found: RegExp, changes: Parameters<typeof deployed>[0]][] = [
    [/\/tenancy must be equal to constant/, { manifest: { tenancy: 'sometimes' } }],
    [/\^99\.0\.0 excludes/, { manifest: { kernel: '^99.0.0' } }],
    [/under none of its prefixes/, { endpoint: { path: '/pages/:book' } }],
    [/declares service notes\.n@1 but does not provide it/, { manifest: { provides: ['notes.n@1'] } }],
    [
      /runs of kind k to the role r, which nothing declares/,
      { registration: { runKinds: [{ kind: 'k', workflowType: 'W', role: 'r', exclusive: true }] } },
    ],
    [
      /POST \/notes\/:book, which changes something without a `capability`/,
      { endpoint: { access: permission('notes:write', 'pipeline_editor') } },
    ],
    [/notes:write has no description/, { manifest: { permissions: { 'notes:write': ' ' } } }],
    [
      /notes:burn is asked for by no endpoint/,
      { manifest: { permissions: { 'notes:write': 'W', 'notes:burn': 'B' } } },
    ],
    [/pages\.create does not begin with notes\./, { endpoint: { id: 'pages.create' } }],
    [/notes\.create_note has no summary/, { endpoint: { summary: '' } }],
    [/no schema for :page/, { endpoint: { path: '/notes/:book/:page' } }],
    [/body is open/, { endpoint: { body: open } }],
    [
      /body\/deep\/items is open/,
      { endpoint: { body: Closed({ deep: Type.Array(Type.Union([Type.Null(), open])) }) } },
    ],
    [
      /body cannot be compiled: .*"no_such"/,
      { endpoint: { body: Closed({ text: Type.String({ format: 'no_such' }) }) } },
    ],
    [/answers own_code, which has no page/, { problems: {} }],
    [/Odd is not lower snake case/, { problems: { own: Own, odd: problem(entry('Odd')) } }],
    [/mute lacks a title, a detail or a hint/, { problems: { own: Own, mute: problem(entry('mute', '')) } }],
    [/Row has no tenantId/, { columns: { id: p.uuid().primary() } }],
  ];
  for (const [found, changes] of cases) {
    const faults = await findings(deployed(changes));
    t.ok(
      faults.some((fault) => found.test(fault)),
      `${found} in ${JSON.stringify(faults)}`,
    );
  }
});
