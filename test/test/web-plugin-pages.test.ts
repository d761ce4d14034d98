import { developmentToken } from '@weir/embedded';
import { setTenantPlugin } from '@weir/plugin-platform/contract';
import t from 'tap';
import { platformWithTemplate } from '../platform-with-template.ts';
import { axeFaults, fitsIn, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const WEIR_PLATFORM = await platformWithTemplate(t.testdir({ plugin: {} }));
const world = await webWorld(Object.assign(t, { testdir: () => t.testdirName }), { WEIR_PLATFORM }, {}, 'source');
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;

t.test('a plugin that a tenant does not have → its page is not there; then it is in the navigation', async (t) => {
  const window = await open();
  await signIn(window, `${url}/pages/notes/notes`, 'Ada');
  await window.page.getByText('No plugin of this tenant has such a page.').waitFor();
  t.equal(await window.page.getByRole('link', { name: 'Notes' }).count(), 0);
  const given = await platform.call({ token: await developmentToken(issuer, 'ada@demo') }, setTenantPlugin, {
    params: { alias: 'demo', plugin_id: 'notes' },
    body: { enabled: true },
  });
  t.match(given, { ok: true });
  t.strictSame(window.faults, []);
});

t.test(
  'by keyboard alone, in dark: the page of the template, its form, its rows and what is done to one',
  async (t) => {
    const window = await open({ colorScheme: 'dark' });
    const { page, faults } = window;
    await signIn(window, `${url}/`, 'Ada');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('A page, an action, a table, a transform, a source or a run').waitFor();
    await page.keyboard.type('Notes');
    await page.keyboard.press('Enter');
    await page.getByText('No note yet.').waitFor();
    await press(page, page.getByRole('button', { name: 'Write', exact: true }), 'Enter');
    await page.getByText('This is required.').waitFor();
    t.strictSame(await axeFaults(page), [], 'a form that lacks something');
    await press(page, page.getByRole('textbox', { name: 'text' }), 'Control+a');
    await page.keyboard.type('Buy <b>milk</b>');
    await press(page, page.getByRole('button', { name: 'Write', exact: true }), 'Enter');
    await page.getByRole('cell', { name: 'Buy <b>milk</b>' }).waitFor();
    await page.getByText('Done.').waitFor();
    t.strictSame(await axeFaults(page), [], 'rows of a plugin');
    await shot(page, 'plugin-page');
    await press(page, page.getByRole('button', { name: 'Publish' }), 'Enter');
    const dialog = page.getByRole('dialog');
    await press(page, dialog.getByRole('button', { name: 'Publish' }), 'Enter');
    await page.getByRole('alert').getByText('no_worker').waitFor();
    t.strictSame(
      faults.filter((fault) => !fault.includes('503')),
      [],
      'nothing but the run that no worker takes',
    );
  },
);

t.test('a viewer in a narrow window → reads the rows, and is offered no form and no action', async (t) => {
  const window = await open({ width: 360 });
  const { page, faults } = window;
  await signIn(window, `${url}/pages/notes/notes`, 'Eve', 'Notes');
  await page.getByRole('cell', { name: 'Buy <b>milk</b>' }).waitFor();
  await page.getByText('Your role may look here and not change anything.').waitFor();
  t.equal(
    await page
      .locator('main')
      .getByRole('button', { name: /^(Write|Publish)/ })
      .count(),
    0,
  );
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'plugin-page-narrow');
  t.strictSame(faults, []);
});
