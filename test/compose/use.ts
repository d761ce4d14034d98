import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type FormPage, formBrowser } from '@weir/embedded/testing';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const SECRETS = path.join(ROOT, 'deploy', 'compose', 'secrets');
const URL = 'http://localhost:8080';
const MAX_PAGES = 6;
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Goes through the pages of the identity provider as the first admin. */
async function signIn(address: string): Promise<void> {
  const password = await readFile(path.join(SECRETS, 'first_admin_password'), 'utf8');
  let page: FormPage = await formBrowser().open(address);
  for (let pages = 0; page.html.includes('<form') && pages < MAX_PAGES; pages++) {
    page = await page.submit(answersTo(page.html, password));
  }
  if (!/Device Login Successful/i.test(page.html))
    throw new Error(`the sign-in ended otherwise: ${page.html.replaceAll(/<[^>]*>|\s+/g, ' ').slice(0, 400)}`);
}

function answersTo(html: string, password: string): Record<string, string> {
  if (html.includes('name="password"')) return { username: 'admin', password };
  return html.includes('name="username"') ? { username: 'admin' } : { accept: 'Yes' };
}

/** `weir login`, with the person at the pages; resolves when it has ended. */
async function login(env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(path.join(ROOT, 'weir'), ['login', '--url', URL, '--profile', 'compose'], { env });
  let person: Promise<void> | undefined;
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const address = /Open\s+(\S+)/.exec(said)?.[1];
      if (address !== undefined && person === undefined) person = signIn(address);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await person;
  if (code !== 0) throw new Error(`weir login ended with ${code}: ${said}`);
}

/** What a person does first: signs in, makes a tenant, makes a table and looks at it. */
async function main(): Promise<void> {
  const home = await mkdtemp(path.join(tmpdir(), 'weir-compose-'));
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, 'config'), WEIR_PROFILE: 'compose' };
  const weir = async (line: string) => {
    const { stdout } = await run(path.join(ROOT, 'weir'), line.split(' '), { env, cwd: home });
    return stdout.trim();
  };
  try {
    await login(env);
    say(`signed in   ${JSON.parse(await weir('whoami -o json')).name}`);
    await weir('tenants create main').catch((fault: Error & { stderr: string }) => {
      if (!/taken|exists/.test(fault.stderr)) throw new Error(fault.stderr);
    });
    const definition =
      'name: numbers\noutput: gold.main.numbers\nsql: select n, n * 2 as twice from range(1000) r(n)\n';
    await writeFile(path.join(home, 'numbers.yaml'), definition);
    if (!(await weir('transforms list --tenant main -o json')).includes('"numbers"')) {
      await weir('transforms create -f numbers.yaml --tenant main -q');
      await weir('transforms hydrate numbers --tenant main -q');
    }
    say(`run         ${await weir('transforms trigger numbers --force --wait --tenant main -o json --query status')}`);
    say(
      `rows        ${await weir('datasets preview gold.main.numbers --limit 1 --tenant main -o json --query rows[0]')}`,
    );
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

await main();
