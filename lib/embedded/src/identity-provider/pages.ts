import { createHash } from 'node:crypto';
import { DEMO_USERS } from './demo-users.ts';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 28rem; margin: 10vh auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; margin-bottom: .5rem; }
  form { display: grid; gap: .75rem; margin: 1.5rem 0; }
  input, button { font: inherit; padding: .6rem .8rem; border-radius: .4rem; border: 1px solid #8888; }
  input, code { letter-spacing: .1em; text-align: center; text-transform: uppercase; }
  button { display: flex; justify-content: space-between; gap: 1rem; cursor: pointer; text-align: left; }
  button.main { justify-content: center; background: #1f5fbf; border-color: #1f5fbf; color: #fff; }
  code { display: block; font-size: 1.6rem; }
  small, footer { opacity: .7; }
  .fault { border-left: .25rem solid #c33; padding-left: .75rem; }
`;

/** Nothing from elsewhere, no frames around it; the one script is that of a link that has the code in it. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "script-src 'self'",
  // A browser judges where the answer of a form leads to as well: back to the web pages of this machine.
  "form-action 'self' http://127.0.0.1:* http://localhost:*",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** A text as HTML shows it, in content and in quoted attributes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Where a form goes, and the hidden values that prove that its page was ours. */
export interface Form {
  action: string;
  hidden?: Record<string, string>;
}

function form({ action, hidden = {} }: Form, inner: string): string {
  const kept = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return `<form method="post" action="${escaped(action)}">${kept.join('')}${inner}</form>`;
}

/** A whole page; `body` is HTML. */
function page(title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Weir</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${body}</main>
<footer><small>Development sign-in of Weir, on this machine only: people sign in by name, without a password.</small></footer>
</body></html>
`;
}

/** Asks for the code that a terminal shows; `fault` says what was wrong with the last one. */
export function codePage(target: Form, fault?: string): string {
  const said = fault === undefined ? '' : `<p class="fault" role="alert">${escaped(fault)}</p>`;
  const field =
    '<label for="code">The code that your terminal shows</label>' +
    '<input id="code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus required>';
  return page('Sign in', `${said}${form(target, `${field}<button class="main">Continue</button>`)}`);
}

/** Asks whether the code is that of one's own terminal. */
export function confirmPage(target: Form, code: string): string {
  const question = `<p>Does your terminal show this code?</p><code>${escaped(code)}</code>`;
  const yes = '<button class="main" name="confirm" value="yes">Yes, go on</button>';
  const no = '<button name="abort" value="yes">No: it is not mine</button>';
  return page('Is this your code?', `${question}${form(target, `${yes}${no}`)}`);
}

/** Asks who signs in. */
export function peoplePage(target: Form): string {
  const people = DEMO_USERS.map(({ name, called, organizations, roles, tenantRoles }) => {
    const ranks = tenantRoles === undefined ? roles.join(', ') : 'a role in each';
    const what = `${organizations.join(', ')} · ${ranks}`;
    return `<button name="login" value="${escaped(name)}"><span>${escaped(called)} <small>${escaped(name)}</small></span><small>${escaped(what)}</small></button>`;
  });
  return page('Who signs in?', form(target, people.join('')));
}

/** The end of a sign-in. */
export const donePage = (): string =>
  page('Signed in', '<p>Your terminal goes on by itself. You can close this page.</p>');

/** What went wrong, without values of the request. */
export const faultPage = (code: string): string =>
  page('This did not work', `<p class="fault" role="alert">${escaped(code)}</p><p>Begin again with weir login.</p>`);
