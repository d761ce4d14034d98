const MAX_REDIRECTS = 10;
const TIMEOUT_MS = 30_000;

/** A page as a browser without scripts sees it. */
export interface FormPage {
  url: string;
  status: number;
  html: string;
  headers: Headers;
  /** Sends the first form with its hidden values and these. */
  submit(fields: Record<string, string>): Promise<FormPage>;
}

/** Opens pages and sends their forms as a browser does: with cookies, by redirects, without scripts. For tests. */
export function formBrowser(): { open(url: string): Promise<FormPage> } {
  const cookies = new Map<string, string>();

  async function go(url: URL, form?: URLSearchParams): Promise<FormPage> {
    let [at, body] = [url, form];
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const answer = await fetch(at, {
        ...(body === undefined ? {} : { method: 'POST', body }),
        headers: { accept: 'text/html', cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      for (const line of answer.headers.getSetCookie()) keep(line);
      const html = await answer.text();
      const location = answer.headers.get('location');
      if (location === null) return pageOf(at, answer, html);
      [at, body] = [new URL(location, at), undefined];
    }
    throw new Error('too many redirects');
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '' || /max-age=0|expires=Thu, 01[ -]Jan[ -]1970/i.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }

  function pageOf(at: URL, { status, headers }: Response, html: string): FormPage {
    return {
      url: at.href,
      status,
      html,
      headers,
      submit(fields) {
        const form = /<form\b([^>]*)>([\s\S]*?)<\/form>/.exec(html);
        if (form === null) throw new Error(`${at.pathname} shows no form (${status})`);
        const sent = new URLSearchParams(hiddenValues(form[2] ?? ''));
        for (const [name, value] of Object.entries(fields)) sent.set(name, value);
        return go(new URL(attribute(form[1] ?? '', 'action') ?? at.href, at), sent);
      },
    };
  }
  return { open: (url) => go(new URL(url)) };
}

function hiddenValues(form: string): [string, string][] {
  return [...form.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]): [string, string][] => {
    const name = attribute(tag, 'name');
    return attribute(tag, 'type') === 'hidden' && name !== undefined ? [[name, attribute(tag, 'value') ?? '']] : [];
  });
}

/** An attribute of a tag, its character references resolved. */
function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found
    ?.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Signs a demo user in at the development identity provider, for the device whose complete address this is. */
export async function approveDevice(verificationUriComplete: string, user: string): Promise<void> {
  const prefilled = await formBrowser().open(verificationUriComplete);
  const question = await prefilled.submit({});
  const people = await question.submit({ confirm: 'yes' });
  const done = await people.submit({ login: user });
  if (!done.html.includes('Signed in')) throw new Error(`the sign-in ended with ${done.status}`);
}
