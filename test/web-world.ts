import { startIdentityProvider } from '@weir/embedded';
import { bootPlatform, startApi } from '@weir/kernel/boot';
import type { Teardown } from '@weir/kernel/testing';
import { pino } from 'pino';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { testBrowser } from './browser.ts';
import { buildPages } from './build.ts';
import { keyFile } from './key-file.ts';
import { platformFile, type TestPlatform, testPlatform } from './platform.ts';
import { lastWords, PATIENT_MS } from './until.ts';
import { startWorker } from './worker-process.ts';

/** The whole platform with its pages, an identity provider with people, a worker and a browser. */
export interface WebWorld {
  platform: TestPlatform;
  url: string;
  issuer: string;
  browser: Browser;
  /** Ends what the provider knows of everybody: no token can be renewed, and people sign in anew. */
  endSignIns(): Promise<void>;
  /** Stops the API, answers how to start it again at the same address. */
  stopApi(): Promise<() => Promise<void>>;
  /** A window that nobody is signed in to, and what went wrong in it. */
  open(options?: { colorScheme?: 'light' | 'dark'; width?: number }): Promise<WebWindow>;
}

export interface WebWindow {
  context: BrowserContext;
  page: Page;
  /** Errors of scripts, messages of the console and refusals of the page's policy. */
  faults: string[];
  /** Addresses that were asked for. */
  asked: string[];
}

/** Prints what the policy of a page refuses; a text, since it runs in the browser. */
const REPORT_REFUSALS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`;

/** A test with windows, which shows them where it failed. */
type WebTest = Teardown & { passing(): boolean };
const MAX_SHOWN = 1_000;

/** Starts it all, with a worker of these roles, or with none for ''; undefined where there is no browser. */
export async function webWorld(
  t: WebTest & { testdir(): string },
  more: Record<string, string> = {},
  ofWorker: Record<string, string> = {},
  roles = 'source,discovery',
): Promise<WebWorld | undefined> {
  const browser = await testBrowser(t);
  if (browser === undefined) return undefined;
  await buildPages();
  const folder = t.testdir();
  const provider = { dataDir: `${folder}/idp`, logFile: `${folder}/idp.log` };
  let idp = await startIdentityProvider(provider);
  t.teardown(() => idp.stop());
  const platform = await testPlatform(t, folder, {
    WEIR_CREDENTIAL_KEY_FILE: keyFile(folder),
    ...more,
    IDP_URL: idp.issuer,
    IDP_ISSUER: idp.issuer,
  });
  await platform.database.tenant('demo');
  if (roles !== '') await startWorker(t, { ...platform.environment, ...ofWorker }, roles);
  return {
    platform,
    url: platform.api.url,
    issuer: idp.issuer,
    browser,
    async endSignIns() {
      await idp.stop();
      idp = await startIdentityProvider({ ...provider, port: idp.port });
    },
    async stopApi() {
      platform.api.app.server.closeAllConnections();
      await platform.api.stop();
      const environment = { ...platform.environment, WEIR_HTTP_PORT: new URL(platform.api.url).port };
      return async () => {
        const log = pino({ level: 'silent' });
        const again = await bootPlatform({ platformFile, environment, program: 'test', log });
        const api = await startApi(again);
        t.teardown(async () => {
          await api.stop();
          await again.stop();
        });
      };
    },
    open: (options) => openWindow(t, browser, options),
  };
}

/** A window of a browser, and what goes wrong in it. */
export async function openWindow(
  t: WebTest,
  browser: Browser,
  { colorScheme = 'light', width = 1_280 }: { colorScheme?: 'light' | 'dark'; width?: number } = {},
): Promise<WebWindow> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  t.teardown(async () => {
    lastWords.delete(shown);
    if (!t.passing()) process.stderr.write((await shown()).replaceAll(/^/gm, '    '));
    await context.close();
  });
  context.setDefaultTimeout(Number(process.env.WEIR_TEST_HASTE ?? PATIENT_MS));
  const page = await context.newPage();
  const shown = async () => {
    const text = await page.evaluate('(document.querySelector("main") ?? document.body).innerText').catch(String);
    return `${page.url()}\n${String(text).slice(0, MAX_SHOWN)}\n`;
  };
  lastWords.add(shown);
  const faults: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => asked.push(request.url()));
  await page.addInitScript(REPORT_REFUSALS);
  return { context, page, faults, asked };
}
