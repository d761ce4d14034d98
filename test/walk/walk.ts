import type { Page, Request } from 'playwright-core';
import { until } from '../until.ts';
import { IS_HERE } from '../web-steps.ts';
import type { WebWindow } from '../web-world.ts';

/** What people go through pages with; a link to the docs leaves the application and is only asked for. */
const TARGETS =
  'a[href^="/"]:not([target], [href^="/docs"]), [role=tab], [role=switch], input[type=radio], [aria-haspopup=menu], [aria-sort] button, main button';
/** What no page should say. */
const ODD = /does not fit these pages|No such page|Copy trace id|Try again|undefined|NaN|\[object|"trace_id"/;
/** Whether the router has come to the address and the page waits for nothing, two frames later. */
const IS_SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
  done(${IS_HERE} && !document.querySelector('main [aria-busy=true]')))))`;
/** What a page is known by to whoever opens it: its title, the chosen tabs, and switches that are on. */
const LOOK = `[document.querySelector('h1'), ...document.querySelectorAll(
  'main [role=tab][aria-selected=true], main input[type=radio]:checked, main [role=switch]:checked')]
  .map((one) => one?.labels?.[0]?.textContent ?? one?.textContent).join(' | ')`;
const FIND = `[...document.querySelectorAll(${JSON.stringify(TARGETS)})].map((one, at) => ({ at, one }))
  .filter(({ one }) => (one.matches('input') ? one.labels?.[0] ?? one : one).checkVisibility() && !one.disabled)
  .map(({ at, one }) => ({ at, href: one.getAttribute('href'), isMenu: one.ariaHasPopup === 'menu',
    isNav: one.closest('.mantine-AppShell-navbar, .mantine-AppShell-header') !== null, isInput: one.matches('input'),
    isInTab: one.closest('[role=tabpanel]') !== null, isOrder: one.matches('[aria-sort] button'),
    isPlain: one.matches('button:not([role=tab], [role=switch], [aria-haspopup=menu], [aria-sort] button)'),
    name: (one.ariaLabel ?? one.labels?.[0]?.textContent ?? one.textContent) }))`;
const FOCUSED = '[document.activeElement.textContent.slice(0, 40), document.activeElement.ariaSelected]';
const DOCS = `[...document.querySelectorAll('a[href^="/docs"]')].map((one) => one.pathname)`;

export interface Walk {
  readonly starts: readonly string[];
  /** Whether the walk goes to an address. */
  readonly goes: (address: string) => boolean;
  /** At most so many addresses of one shape, such as pages of a run. */
  readonly ofShape: number;
  /** Failed requests that a page means, as `status METHOD /path`, with ids as `:id`. */
  readonly meant: readonly string[];
  /** Names of buttons that the walk presses too: those that change nothing. */
  readonly presses?: RegExp;
  /** Names of switches that the walk leaves alone: those that change what other pages show. */
  readonly leaves?: RegExp;
}

type Target = { at: number; name: string; href: string | null } & Record<
  'isMenu' | 'isNav' | 'isInput' | 'isPlain' | 'isInTab' | 'isOrder',
  boolean
>;

/** An address without what differs from thing to thing; names of tables stay, since they are what breaks pages. */
const shapeOf = (address: string): string =>
  address.replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\d{6,}|(?<=#).*|(?<=\/(?:models|patterns)\/)[^?]+/g, ':id');

const pathOf = (address: string): string => shapeOf(address).split('?')[0] ?? '';

/** What tells a target from others of pages alike, so that each kind is clicked once: of what all tabs show too. */
function keyOf({ name, href, isNav, isInTab }: Target, address: string, title: string): string {
  const where = isNav ? address.split(/[/?]/)[1] : `${isInTab ? shapeOf(address) : pathOf(address)} ${title}`;
  return `${where} ${href === null ? name.replace(/\d+/g, '0') : shapeOf(href)}`;
}

/** A window that is watched: its requests under way, and what fails in it. */
export function watched({ page, faults: messages }: WebWindow, url: string, meant: readonly string[]) {
  const open = new Set<Request>();
  const failed: string[] = [];
  page.on('request', (request) => request.url().includes('/api/v1/events') || open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  page.on('response', (response) => {
    const said = `${response.status()} ${response.request().method()} ${shapeOf(new URL(response.url()).pathname)}`;
    if (response.status() >= 400 && !meant.includes(said)) failed.push(said);
  });
  let quiet = 0;
  const isQuiet = async () => {
    const isHere = await page.evaluate(IS_SETTLED).catch(() => false);
    quiet = isHere && open.size === 0 ? quiet + 1 : 0;
    return quiet > 1;
  };
  const settle = () => until(`quiet at ${page.url()}`, isQuiet, 'often').finally(() => (quiet = 0));
  const look = () => page.evaluate(LOOK) as Promise<string>;
  const address = () => page.url().slice(url.length);
  const load = (to: string) => page.goto(`${url}${to}`).then(settle);
  /** What went wrong since the last look, and what the page says that no page should. */
  const faults = async (): Promise<string[]> => {
    const odd = ODD.exec((await page.evaluate('document.body.innerText')) as string)?.[0];
    const notes =
      odd === undefined ? [] : [`says ${odd}: ${await page.getByRole('alert').allInnerTexts()}`.slice(0, 300)];
    const said = messages.splice(0).filter((text) => !text.includes('Failed to load resource'));
    return [...failed.splice(0), ...said, ...notes];
  };
  return { page, settle, look, address, load, faults };
}

type Watched = ReturnType<typeof watched>;

/** Clicks a target, of a menu each of its links in turn; calls `then` after each. */
async function click(page: Page, { at, isMenu, isInput }: Target, then: () => Promise<void>): Promise<void> {
  const target = page.locator(TARGETS).nth(at);
  // Inputs of switches and segmented controls are hidden under their labels.
  const press = () =>
    isInput ? target.evaluate((one) => (one as unknown as { click(): void }).click()) : target.click();
  await press();
  if (!isMenu) return then();
  // What a menu does, beside leading elsewhere, is for the tests of it.
  const items = page.locator('[role=menuitem][href]');
  await page.getByRole('menuitem').first().waitFor();
  for (let item = 0, count = await items.count(); item < count; item++) {
    if (!(await items.nth(item).isVisible())) await press();
    await items.nth(item).click();
    await then();
  }
  await page.keyboard.press('Escape');
}

/** Goes through every list of tabs by the arrow keys: each tab is chosen, and keeps the focus. */
async function walkTabs({ page, settle, faults, load }: Watched, address: string): Promise<string[]> {
  const found: string[] = [];
  const lists = page.locator('main').getByRole('tablist');
  for (let at = 0, count = await lists.count(); at < count; at++) {
    await lists.nth(at).getByRole('tab', { selected: true }).focus();
    for (let step = 0, steps = await lists.nth(at).getByRole('tab').count(); step < steps; step++) {
      await page.keyboard.press('ArrowRight');
      await settle();
      const [name, isChosen] = (await page.evaluate(FOCUSED)) as [string, string];
      if (isChosen !== 'true') found.push(`by keyboard, ${name}: the tab is not chosen`);
      for (const fault of await faults()) found.push(`by keyboard, ${name}: ${fault}`);
    }
    await load(address);
  }
  return found;
}

/** An address that the walk came to, what is wrong there, and how much it clicked so far. */
interface Step {
  readonly address: string;
  readonly found: readonly string[];
  readonly clicks: number;
}

/** Clicks everything of every page it comes to; loads each address anew, also in other windows, as one who was sent it. */
export async function* walk(
  [first, ...others]: readonly [WebWindow, ...WebWindow[]],
  url: string,
  walk: Walk,
): AsyncGenerator<Step> {
  const { starts, goes, ofShape, meant, presses, leaves } = walk;
  const here = watched(first, url, meant);
  const windows = [...others.map((other) => watched(other, url, meant)), here];
  const looks = new Map<string, string | undefined>(starts.map((start) => [start, undefined]));
  const [done, choices, shapes] = [new Set<string>(), new Set<string>(), new Map<string, number>()];
  const addresses = [...starts];
  let clicks = 0;
  const isNew = (key: string) => !done.has(key) && done.add(key) !== undefined;
  const isWalked = ({ isPlain, name }: Target) => (isPlain ? presses?.test(name) : !leaves?.test(name));
  const reach = async (to: string, isChoice: boolean) => {
    const times = shapes.get(shapeOf(to)) ?? 0;
    if (looks.has(to) || !goes(to) || times >= ofShape) return;
    shapes.set(shapeOf(to), times + 1);
    looks.set(to, await here.look());
    // What a switch or an order of a page shows is loaded; its combinations are not walked.
    if (isChoice) choices.add(to);
    addresses.push(to);
  };
  const clickAll = async (address: string, title: string) => {
    const found: string[] = [];
    for (;;) {
      const targets = (await here.page.evaluate(FIND)) as Target[];
      const next = targets.find((one) => isWalked(one) && isNew(keyOf(one, address, title)));
      if (next === undefined) return found;
      await click(here.page, next, async () => {
        clicks++;
        await here.settle();
        for (const fault of await here.faults()) found.push(`→ ${next.name}: ${fault}`);
        await reach(here.address(), next.isInput || next.isOrder);
        const back = `history.pushState({}, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'))`;
        await here.page.evaluate(back);
        await here.settle();
      });
    }
  };
  for (const address of addresses) {
    const byClick = looks.get(address);
    const found: string[] = [];
    for (const window of windows) {
      await window.load(address);
      const [how, look] = [window === here ? 'reloaded' : 'sent', await window.look()];
      if (byClick !== undefined && look !== byClick) found.push(`${how}: ${look}, by click ${byClick}`);
      for (const fault of await window.faults()) found.push(`${how}: ${fault}`);
    }
    for (const docs of ((await here.page.evaluate(DOCS)) as string[]).filter(isNew)) {
      const { status } = await fetch(`${url}${docs}`, { headers: { accept: 'text/html' } });
      if (status >= 400) found.push(`→ ${docs}: ${status}`);
    }
    const title = (await here.look()).split(' | ')[0] ?? '';
    if (!choices.has(address)) {
      if (isNew(`tabs of ${pathOf(address)} ${title}`)) found.push(...(await walkTabs(here, address)));
      found.push(...(await clickAll(address, title)));
    }
    yield { address, found, clicks };
  }
}
