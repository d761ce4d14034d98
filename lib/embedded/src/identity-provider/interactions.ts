import { pageFile } from '@weir/page-style';
import { type Configuration, interactionPolicy, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { UI_CLIENT } from './demo-users.ts';
import { codePage, confirmPage, donePage, faultPage, PAGE_POLICY, peoplePage, STYLE_FOLDER } from './pages.ts';
import type { People } from './people.ts';

const MAX_FORM_BYTES = 4_096;
const POLL_INTERVAL_S = 1;
const MISDIRECTED = 421;
const NOT_ADDED =
  'The person was not added: a name has letters, an organization letters, digits, - and _, and those of the demo stay as they are.';

/** The place of the device form with the proof that it came from our page. */
function deviceForm(context: KoaContextWithOIDC, more: Record<string, string> = {}) {
  const { urlFor, session } = context.oidc as unknown as {
    urlFor(name: string): string;
    session: { state?: { secret?: string } };
  };
  return {
    action: urlFor.call(context.oidc, 'code_verification'),
    hidden: { xsrf: session.state?.secret ?? '', ...more },
  };
}

function faultOf(error: (Error & { userCode?: string }) | undefined): string | undefined {
  if (error === undefined) return undefined;
  if (error.name === 'AbortedError') return 'The sign-in was declined. You can close this page.';
  if (error.name === 'ExpiredError') return 'This code has expired: weir login gives a new one.';
  if (error.name === 'AlreadyUsedError') return 'This code has been used already: weir login gives a new one.';
  return 'This is not a code of ours. Look at your terminal again.';
}

/** The pages of the device flow. */
export const devicePages = {
  enabled: true,
  async userCodeInputSource(context, _form, _out, error) {
    context.body = codePage(deviceForm(context), faultOf(error));
  },
  async userCodeConfirmSource(context, _form, _client, _deviceInfo, code) {
    context.body = confirmPage(deviceForm(context, { user_code: code }), code);
  },
  async successSource(context) {
    context.body = donePage();
  },
} satisfies NonNullable<Configuration['features']>['deviceFlow'];

/**
 * Asks terminals who signs in each time, since a developer is several people in turn. The web pages sign in again with
 * every reload: they are asked once, and after a sign-out. Nothing asks for a consent.
 */
export function askWho(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  policy.get('login')?.checks.add(
    new interactionPolicy.Check('choose', 'somebody is chosen each time', (context) => {
      const { result, client, session } = context.oidc;
      const isKnown = client?.clientId === UI_CLIENT && session?.accountId !== undefined;
      return isKnown || result?.login !== undefined
        ? interactionPolicy.Check.NO_NEED_TO_PROMPT
        : interactionPolicy.Check.REQUEST_PROMPT;
    }),
  );
  return policy;
}

/** Error pages, for people; programs get JSON before this is asked. */
export async function renderError(context: KoaContextWithOIDC, out: { error: string }): Promise<void> {
  context.type = 'html';
  context.body = faultPage(out.error);
}

/**
 * Serves the page that asks who signs in, guards all pages, and lets terminals ask often, as the provider is near. It
 * answers under its own name alone: a page of elsewhere whose name was led to this machine gets no token.
 */
export function serveInteractions(provider: Provider, people: People): void {
  const { host } = new URL(provider.issuer);
  provider.use(async (context, next) => {
    if (context.host !== host) {
      context.status = MISDIRECTED;
      return;
    }
    context.set('content-security-policy', PAGE_POLICY);
    context.set('x-content-type-options', 'nosniff');
    context.set('referrer-policy', 'no-referrer');
    if (context.path.startsWith(`${STYLE_FOLDER}/`)) {
      const file = await pageFile(context.path.slice(STYLE_FOLDER.length + 1));
      if (file === undefined) return;
      context.type = file.type;
      context.body = file.body;
      return;
    }
    const uid = /^\/interaction\/([\w-]{1,64})$/.exec(context.path)?.[1];
    if (uid !== undefined) return answerInteraction(provider, context, people);
    await next();
    const body = context.body as { device_code?: string; interval?: number } | undefined;
    if (context.path === '/device/auth' && body?.device_code !== undefined) body.interval = POLL_INTERVAL_S;
  });
}

type Context = Parameters<Parameters<Provider['use']>[0]>[0];

async function answerInteraction(provider: Provider, context: Context, people: People): Promise<void> {
  const details = await provider.interactionDetails(context.req, context.res).catch(() => undefined);
  context.set('cache-control', 'no-store');
  context.type = 'html';
  if (details === undefined) {
    context.status = 400;
    context.body = faultPage('session_not_found');
    return;
  }
  if (context.method !== 'POST') {
    context.body = peoplePage({ action: context.path }, people.all());
    return;
  }
  const form = new URLSearchParams(await formText(context.req));
  const wanted = { called: form.get('called') ?? '', organization: form.get('organization') ?? '' };
  const isNew = form.has('called');
  const user = isNew ? people.add({ ...wanted, role: form.get('role') ?? '' }) : people.named(form.get('login') ?? '');
  if (user === undefined) {
    context.status = 400;
    context.body = isNew ? peoplePage({ action: context.path }, people.all(), NOT_ADDED) : faultPage('no_such_person');
    return;
  }
  context.respond = false;
  await provider.interactionFinished(context.req, context.res, { login: { accountId: user.name } });
}

async function formText(request: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_FORM_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
