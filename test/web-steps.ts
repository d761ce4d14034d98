import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { until } from './until.ts';
import type { WebWindow } from './web-world.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const MAX_TABS = 60;
const SHOTS = process.env.WEIR_TEST_SCREENSHOT;

/** Whether the router has come to the address: until then the page before stands there, and its words. */
export const IS_HERE = `(({ status, resolvedLocation } = {}) => status === 'idle' &&
  resolvedLocation?.href === location.pathname + location.search + location.hash)(window.__TSR_ROUTER__?.state)`;

/** Goes to a page within the application, since a load would sign in again, and waits until the router is there. */
export async function goWithin(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await until(address, () => page.evaluate(IS_HERE) as Promise<boolean>, 'often');
}

/** Rules of accessibility that the page breaks, with their first place; of all rules, or of these. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await readFile(AXE, 'utf8'));
  const options = rules === undefined ? {} : { runOnly: rules };
  const found = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string; any: { message: string }[] }[] }[];
  };
  return found.violations.map(({ id, nodes: [node] }) => `${id}: ${node?.html} ${node?.any[0]?.message ?? ''}`);
}

/** Opens an address and signs in as one of the demo people. In a narrow window the title of the page shows that it is there. */
export async function signIn({ page }: WebWindow, url: string, person: string, title?: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: person }).click();
  const shown =
    title === undefined
      ? page.getByRole('link', { name: 'Home', exact: true })
      : page.getByRole('heading', { level: 1, name: title });
  await shown.waitFor();
}

/** Keeps a picture of the page where `WEIR_TEST_SCREENSHOT` names a folder. */
export const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

export const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { document } = globalThis as unknown as { document: { activeElement: unknown } };
    return element === document.activeElement;
  });

/** Gives a thing the focus as Tab does, then presses a key. */
export async function press(page: Page, target: Locator, key: string, step = 'Tab'): Promise<void> {
  // The inputs of segmented controls are hidden and take the focus all the same.
  await target.waitFor({ state: 'attached' });
  for (let steps = 0; steps < MAX_TABS; steps++) {
    if (await hasFocus(target)) return page.keyboard.press(key);
    await page.keyboard.press(step);
  }
  throw new Error(`Tab does not reach ${target}`);
}

/** Whether the page is no wider than its window. */
export const fitsIn = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= window.innerWidth') as Promise<boolean>;

/** Where a token can be found, which must be nowhere but in memory. */
export async function leaks({ page, asked }: WebWindow): Promise<string[]> {
  const kept = (await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
  )) as string;
  const token = /eyJ[\w-]{10,}\.[\w-]{10,}/;
  return [
    ...(token.test(kept) || kept.includes('verifier') ? ['storage or page'] : []),
    ...asked.filter((address) => token.test(address)),
    ...(page.url().includes('code=') ? ['address'] : []),
  ];
}
