import { developmentToken } from '@weir/embedded';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { commandLine } from '../../cli/test/command-line.ts';
import { ownWorkspace } from '../../connectors/runtime/test/container-kit.ts';
import { engineSettings, testEngine } from '../engines/index.ts';
import { type PythonImage, pythonImage } from '../engines/python-image.ts';
import { signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';
import { CITIES_IMAGE, FAKER_IMAGE, ROWS } from './published-images.ts';

/** A published connector, and what somebody has to say to it beside its defaults: to the command line, and to the page. */
interface Published {
  image: PythonImage;
  id: string;
  config: readonly string[];
  fill(page: Page): Promise<void>;
  rows: number;
}

/** What has a default lies behind a fold, and is not sent unless it is given. */
async function fillCount(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More settings' }).click();
  await page.getByRole('textbox', { name: 'Count' }).fill(String(ROWS));
}

const PUBLISHED: readonly Published[] = [
  {
    ...{ image: FAKER_IMAGE, id: 'faker', config: ['count=500', 'parallelism=1'], rows: ROWS },
    fill: fillCount,
  },
  {
    image: {
      name: 'foreign/source-hardcoded-records:0.0.48',
      requirement: 'airbyte-source-hardcoded-records==0.0.48',
      program: 'source-hardcoded-records',
    },
    ...{ id: 'hardcoded-records', config: [`count=${ROWS}`], rows: ROWS },
    fill: fillCount,
  },
  {
    ...{ image: CITIES_IMAGE, id: 'file', rows: ROWS },
    config: ['dataset_name=cities', 'format=csv', 'url=/local/cities.csv', 'provider.storage=local'],
    async fill(page) {
      await page.getByRole('textbox', { name: 'Dataset Name' }).fill('cities');
      await page.getByRole('combobox', { name: 'File Format' }).click();
      await page.getByRole('option', { name: 'csv', exact: true }).click();
      await page.getByRole('textbox', { name: 'URL' }).fill('/local/cities.csv');
      await page.getByRole('combobox', { name: 'Storage Provider' }).click();
      await page.getByRole('option', { name: 'Local Filesystem' }).click();
    },
  },
];

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') {
  t.plan(0, engine);
  process.exit();
}
// Python takes its time to start on a busy machine.
const settings = { ...engineSettings(engine, await ownWorkspace(t, engine)), WEIR_CHECK_MAX_SECONDS: '900' };
const world = await webWorld(t, settings, settings);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, issuer } = world;

async function byCommands(t: Test, { image, id, config, rows }: Published): Promise<void> {
  const { weir } = commandLine(t);
  const env = { WEIR_URL: url, WEIR_TENANT: 'demo', WEIR_TOKEN: await developmentToken(issuer, 'ada@demo') };
  const name = `${id}-typed`;
  const set = config.flatMap((one) => ['--set', one]);
  const done = async (...words: string[]) => {
    const ran = await weir(words, { env });
    t.equal(ran.code, 0, `${words.join(' ')} ${ran.code === 0 ? '' : ran.stderr}`);
    return ran.stdout;
  };
  await done('connectors', 'add', image.name, '--id', name);
  await done('sources', 'create', '--pattern', name, '--name', name, ...set, '--discover', '-w');
  const streams = JSON.parse(await done('sources', 'streams', 'list', name, '-o', 'json')) as {
    items: { name: string }[];
  };
  await done('sources', 'streams', 'set', name, ...streams.items.map((stream) => stream.name), '--enable');
  await done('sources', 'sync', name, '-w');
  const { items } = JSON.parse(await done('sources', 'history', name, '-o', 'json')) as {
    items: { rows_written: number }[];
  };
  t.ok((items[0]?.rows_written ?? 0) >= rows, `${items[0]?.rows_written} rows by commands`);
}

async function byPages(t: Test, { image, fill, rows }: Published): Promise<void> {
  const window = await open();
  const { page } = window;
  await signIn(window, `${url}/sources/new`, 'Ada');
  await page.getByRole('link', { name: 'Use a connector by its image…' }).click();
  await page.getByRole('textbox', { name: 'Image' }).fill(image.name);
  await page.getByRole('button', { name: 'Look at the image' }).click();
  await page.getByRole('button', { name: 'Add the connector' }).click();
  await page.getByRole('heading', { name: /^New source: / }).waitFor();
  await fill(page);
  await page.getByRole('button', { name: 'Test and discover' }).click();
  const found = page.getByRole('heading', { name: /streams? found$/ });
  await found.or(page.getByRole('alert')).first().waitFor();
  const refused = (await page.getByRole('alert').allTextContents()).join(' ');
  if (refused !== '') throw new Error(refused);
  const all = page.getByRole('checkbox', { name: 'All that fit' });
  if (!(await all.isChecked())) await all.check();
  await page.getByRole('button', { name: /^Create source and enable/ }).click();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.getByText('Succeeded', { exact: true }).first().waitFor();
  const text =
    (await page
      .getByText(/^Rows committed/)
      .locator('..')
      .first()
      .textContent()) ?? '';
  const written = Number(/Rows committed([\d\s,.]+)/.exec(text)?.[1]?.replaceAll(/\D/g, ''));
  t.ok(written >= rows, `${written} rows by pages`);
}

for (const published of PUBLISHED) {
  const { requirement } = published.image;
  t.test(`${requirement} is added and gives rows by commands alone, and by pages alone`, async (t) => {
    await pythonImage(engine, published.image);
    await t.test('commands', (t) => byCommands(t, published));
    await t.test('pages', (t) => byPages(t, published));
  });
}
