import t from 'tap';
import { imageMaker, ownWorkspace } from '../../connectors/runtime/test/container-kit.ts';
import { tinyConnector } from '../../plugins/sources/test/tiny-connector.ts';
import { engineSettings, testEngine } from '../engines/index.ts';
import { axeFaults, fitsIn, leaks, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const text = { type: 'string' };
const SPEC = {
  type: 'SPEC',
  spec: {
    connectionSpecification: {
      ...{
        title: 'Müller & Söhne Source Spec',
        type: 'object',
        required: ['host', 'api_key', 'session_token', 'token_hint'],
      },
      properties: {
        host: { ...text, title: 'Host' },
        api_key: { ...text, title: 'API key', airbyte_secret: true },
        session_token: { ...text, title: 'Session' },
        token_hint: { ...text, title: 'Hint' },
      },
    },
  },
};
const NAME = 'weir-test/source-mueller-web:4.0.1';
const NEEDLE = 'PLAIN-Zx-8841-sesame';

const engine = await testEngine(t, 'rootful');
const settings = typeof engine === 'string' ? {} : engineSettings(engine, await ownWorkspace(t, engine));
const world = await webWorld(t, settings, settings);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open } = world;

t.test('whoever may not add connectors reads whom to ask', async () => {
  const window = await open();
  await signIn(window, `${url}/sources/add`, 'Eve');
  await window.page.getByText('a platform admin adds them').waitFor();
});

if (typeof engine === 'string') t.comment(engine);
else
  t.test('a name that no pattern has leads to an image, its secrets, a source and rows', async (t) => {
    const make = await imageMaker(engine);
    await make(NAME, [tinyConnector(SPEC)]);
    const window = await open();
    const { page } = window;
    await signIn(window, `${url}/sources/new`, 'Ada');
    await page.getByRole('textbox', { name: 'Filter patterns' }).fill('müller');
    await page.getByText('No pattern has this name.').waitFor();
    await page.getByRole('link', { name: 'Use a connector by its image…' }).last().click();
    const image = page.getByRole('textbox', { name: 'Image' });
    await image.fill('weir-test/Nothing:1');
    await page.getByRole('button', { name: 'Look at the image' }).click();
    await page.getByRole('alert').getByText('names no container image').waitFor();
    t.strictSame(await axeFaults(page), [], 'a name that is none');
    await image.fill('weir-test/nothing-here:1');
    await page.getByRole('button', { name: 'Look at the image' }).click();
    await page.getByRole('alert').getByText('WEIR_CONNECTOR_REGISTRIES').waitFor();
    t.strictSame(await axeFaults(page), [], 'an image of a registry that is closed');
    await image.fill(NAME);
    await page.getByRole('button', { name: 'Look at the image' }).click();
    await page.getByRole('heading', { name: 'Müller & Söhne' }).waitFor();
    t.match(await page.getByText(/@sha256:/).textContent(), /^weir-test\/source-mueller-web:4\.0\.1@sha256:/);
    t.strictSame(await axeFaults(page), [], 'what the image said');
    t.ok(await fitsIn(page));
    await shot(page, 'image-found');
    await page.reload();
    await page.getByRole('checkbox', { name: '/token_hint' }).uncheck();
    t.ok(await page.getByRole('checkbox', { name: '/session_token' }).isChecked(), 'secret unless somebody says not');
    await page.getByRole('textbox', { name: 'Id' }).fill('mueller');
    await page.getByRole('button', { name: 'Add the connector' }).click();
    await page.getByRole('heading', { name: 'New source: Müller & Söhne' }).waitFor();
    for (const [name, value] of Object.entries({ Host: 'h', 'API key': NEEDLE, Session: NEEDLE, Hint: 'seen' }))
      await page.getByRole('textbox', { name }).fill(value);
    await page.getByRole('button', { name: 'Test and discover' }).click();
    await page.getByRole('heading', { name: '1 stream found' }).waitFor();
    await page.getByRole('button', { name: /^Create source/ }).click();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Rows committed2').waitFor();
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await page.getByText('seen').waitFor();
    t.notMatch(await page.content(), NEEDLE);
    t.strictSame(await leaks(window), []);
  });
