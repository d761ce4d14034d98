import { conformance, testPlugin } from '@weir/kernel/testing';
import * as platform from '@weir/migrations';
import type { RunInput } from '@weir/work';
import t from 'tap';
import packageJson from '../package.json' with { type: 'json' };
import { createNote, listNotes, publishNote } from '../src/contract.ts';
import { migrations } from '../src/migrations.ts';
import plugin from '../src/plugin.ts';
import { publishing } from '../src/work/publish.ts';

/** The platform's migrations, then this plugin's. */
const tools: Parameters<typeof testPlugin>[2]['tools'] = {
  ...platform,
  migrate: (database, list) => platform.migrate(database, list, { plugins: [{ pluginId: 'notes', migrations }] }),
};

t.test('notes', async (t) => {
  const app = await testPlugin(t, plugin, { tools });
  await app.tenant('acme');
  await app.tenant('other');
  const [acme, other] = [app.as('acme'), app.as('other')];
  const idOf = async (text: string) => {
    const made = await acme.call(createNote, { body: { text } });
    return made.ok ? made.body.note_id : '';
  };

  conformance(t, { manifest: packageJson.weir as Manifest, plugin, registration: app.registration });

  t.test('a note that was written is listed, newest first', async (t) => {
    t.match(await acme.call(createNote, { body: { text: 'first' } }), { status: 201, body: { published_at: null } });
    await acme.call(createNote, { body: { text: 'second' } });
    t.match(await acme.call(listNotes), { status: 200, body: { items: [{ text: 'second' }, { text: 'first' }] } });
  });

  t.test('another tenant sees none of them, and publishes none of them', async (t) => {
    const note_id = await idOf('ours');
    t.match(await other.call(listNotes), { status: 200, body: { items: [] } });
    t.match(await other.call(publishNote, { params: { note_id } }), { status: 404, problem: { code: 'not_found' } });
  });

  t.test('a viewer may read and not write', async (t) => {
    const viewer = app.as('acme', 'viewer');
    t.match(await viewer.call(listNotes), { status: 200 });
    t.match(await viewer.call(createNote, { body: { text: 'x' } }), {
      status: 403,
      problem: { code: 'forbidden_role' },
    });
  });

  t.test('a run publishes a note once', async (t) => {
    const note_id = await idOf('to be published');
    const started = await acme.call(publishNote, { params: { note_id } });
    t.match(started, { status: 202, body: { warning: null } });
    const input = app.workflows.started.at(-1)?.args[0] as RunInput;
    const { kernel } = app;
    for (const _ of ['an attempt', 'and another']) await publishing.attempt({ kernel }, input);
    await publishing.end({ kernel }, input, { status: 'succeeded' });
    t.match(await acme.call(publishNote, { params: { note_id } }), { problem: { code: 'note_published' } });
  });

  t.test('without a worker a run is refused, or waits when that was asked for', async (t) => {
    const note_id = await idOf('to wait');
    app.workflows.polledAt = undefined;
    t.match(await acme.call(publishNote, { params: { note_id } }), { status: 503, problem: { code: 'no_worker' } });
    const waiting = await acme.call(publishNote, { params: { note_id }, query: { queue: true } });
    t.match(waiting, { status: 202, body: { warning: { code: 'no_worker' } } });
  });
});

type Manifest = Parameters<typeof conformance>[1]['manifest'];
