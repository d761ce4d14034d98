import { PAGE_START, pageHead, pageHeader } from '@weir/page-style';
import type { DemoUser } from './demo-users.ts';
import { ROLES } from './people.ts';

/** Where the files of these pages are. */
export const STYLE_FOLDER = '/style';

/** Nothing from elsewhere, no frames around it; the one script is that of a link that has the code in it. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'; font-src 'self'; img-src 'self'",
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
${PAGE_START}
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Weir</title>${pageHead(STYLE_FOLDER)}</head>
<body class="ask">${pageHeader(STYLE_FOLDER)}<main class="page"><h1>${escaped(title)}</h1>
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
    '<input id="code" name="user_code" autocomplete="off" autocapitalize="characters" class="code" spellcheck="false" autofocus required>';
  return page('Sign in', `${said}${form(target, `${field}<button class="main">Continue</button>`)}`);
}

/** Asks whether the code is that of one's own terminal. */
export function confirmPage(target: Form, code: string): string {
  const question = `<p>Does your terminal show this code?</p><code>${escaped(code)}</code>`;
  const yes = '<button class="main" name="confirm" value="yes">Yes, go on</button>';
  const no = '<button name="abort" value="yes">No: it is not mine</button>';
  return page('Is this your code?', `${question}${form(target, `${yes}${no}`)}`);
}

/** Asks who signs in: one of these people, or a new one; `fault` says why the last one was not added. */
export function peoplePage(target: Form, all: readonly DemoUser[], fault?: string): string {
  const people = all.map(({ name, called, organizations, roles, tenantRoles }) => {
    const ranks = tenantRoles === undefined ? roles.join(', ') : 'a role in each';
    const what = `${organizations.join(', ')} · ${ranks}`;
    return `<button name="login" value="${escaped(name)}"><span>${escaped(called)} <small>${escaped(name)}</small></span><small>${escaped(what)}</small></button>`;
  });
  const roles = ROLES.map((role) => `<option>${role}</option>`).join('');
  const added =
    '<label for="called">Name</label><input id="called" name="called" autocomplete="off" required>' +
    '<label for="organization">Organization: the alias of a tenant</label>' +
    '<input id="organization" name="organization" autocomplete="off" spellcheck="false" required>' +
    `<label for="role">Role</label><select id="role" name="role">${roles}</select><button class="main">Add and sign in</button>`;
  const said = fault === undefined ? '' : `<p class="fault" role="alert">${escaped(fault)}</p>`;
  const more = `<details${fault === undefined ? '' : ' open'}><summary>Another person</summary>${form(target, added)}</details>`;
  return page('Who signs in?', `${said}${form(target, people.join(''))}${more}`);
}

/** The end of a sign-in. */
export const donePage = (): string =>
  page('Signed in', '<p>Your terminal goes on by itself. You can close this page.</p>');

/** What went wrong, without values of the request. */
export const faultPage = (code: string): string =>
  page('This did not work', `<p class="fault" role="alert">${escaped(code)}</p><p>Begin again with weir login.</p>`);
