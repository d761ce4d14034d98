import { startIdentityProvider } from '@weir/embedded';
import t from 'tap';
import { testBrowser } from '../browser.ts';
import { PATIENT_MS } from '../until.ts';

interface Device {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
}

t.test(
  'in a browser: the link with the code, the question, the people, and the end, by the rules of the pages',
  async (t) => {
    const folder = t.testdir({});
    const idp = await startIdentityProvider({ dataDir: folder, logFile: `${folder}/log` });
    t.teardown(idp.stop);
    const browser = await testBrowser(t);
    if (browser === undefined) {
      t.plan(0, 'no Chromium on this machine, and it cannot be installed');
      return;
    }
    const post = async (where: string, form: Record<string, string>) => {
      const body = new URLSearchParams({ client_id: 'weir-cli', ...form });
      return (await fetch(`${idp.issuer}${where}`, { method: 'POST', body })).json();
    };
    const device = (await post('/device/auth', { scope: 'openid' })) as Device;
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENT_MS);
    const faults: string[] = [];
    const asked = new Set<string>();
    // The browser also tells what is no fault, such as a field that was filled before it got its focus.
    page.on('console', (message) => {
      if (['warning', 'error'].includes(message.type())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => asked.add(new URL(request.url()).origin));

    await page.goto(device.verification_uri);
    await page.getByLabel('The code that your terminal shows').fill('aaaa-bbbb');
    await page.getByRole('button', { name: 'Continue' }).click();
    t.match(await page.getByRole('alert').textContent(), /not a code of ours/);
    await page.getByRole('textbox').fill(device.user_code.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    t.match(await page.locator('main').textContent(), device.user_code);

    await page.goto(device.verification_uri_complete);
    await page.getByRole('button', { name: 'Yes, go on' }).click();
    await page.getByRole('button', { name: 'Eve' }).click();
    t.match(await page.getByRole('heading').textContent(), 'Signed in');
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    t.match(await post('/token', { grant_type, device_code: device.device_code }), { access_token: String });
    t.strictSame(faults, [], 'no page breaks its own rules');
    t.strictSame([...asked], [idp.issuer], 'and none asks anybody else');
  },
);
