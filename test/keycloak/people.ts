import { type FormPage, formBrowser } from '@weir/embedded/testing';
import { pace } from '../until.ts';
import type { Keycloak } from './start-keycloak.ts';

/** The password of every person of the realm of the lane. */
const PASSWORD = 'of-the-lane';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const MAX_PAGES = 8;

/** The tokens of one sign-in. */
export interface PersonTokens {
  access: string;
  refresh: string;
  id: string;
}

/** The claims of a token, read and not verified. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

/** Goes through the pages of Keycloak as a person does, to the end: name, organization, password, consent. */
export async function signIn(address: string, user: string, organization = ''): Promise<void> {
  let page: FormPage = await formBrowser().open(address);
  for (let pages = 0; page.html.includes('<form'); pages++) {
    if (pages === MAX_PAGES) throw new Error(`${user} is asked again and again at ${new URL(page.url).pathname}`);
    page = await page.submit(answersTo(page.html, user, organization));
  }
  if (!/Device Login Successful/i.test(page.html)) throw new Error(`the sign-in of ${user} ended otherwise`);
}

function answersTo(html: string, user: string, organization: string): Record<string, string> {
  if (html.includes('name="kc.org"')) return { 'kc.org': organization };
  if (html.includes('name="password"')) return { username: user, password: PASSWORD };
  return html.includes('name="username"') ? { username: user } : { accept: 'Yes' };
}

/** Goes through the pages of Keycloak and says no at the end. */
export async function decline(address: string, user: string): Promise<void> {
  let page: FormPage = await formBrowser().open(address);
  for (let pages = 0; !page.html.includes('name="cancel"'); pages++) {
    if (pages === MAX_PAGES) throw new Error(`${user} is never asked for consent`);
    page = await page.submit(answersTo(page.html, user, ''));
  }
  await page.submit({ cancel: 'No' });
}

/** Signs somebody in by the device flow of the command line's client. */
export async function deviceTokens(
  keycloak: Keycloak,
  user: string,
  { scope = 'openid organization:*', organization = '' } = {},
): Promise<PersonTokens> {
  const client_id = 'weir-cli';
  const device = await keycloak.post('auth/device', { client_id, scope });
  await signIn(String(device.verification_uri_complete), user, organization);
  // The provider tells a client how often it may ask.
  await pace(Number(device.interval) * 1_000);
  const form = { client_id, grant_type: DEVICE_GRANT, device_code: String(device.device_code) };
  const { access_token, refresh_token, id_token } = await keycloak.post('token', form);
  return { access: String(access_token), refresh: String(refresh_token), id: String(id_token) };
}

/** A token of a person without a browser, by a client that the lane adds; real clients do not do this. */
export async function directToken(keycloak: Keycloak, client_id: string, user: string, scope: string): Promise<string> {
  const form = { client_id, grant_type: 'password', username: user, password: PASSWORD, scope };
  return String((await keycloak.post('token', form)).access_token);
}

/** A token of the service itself. */
export async function serviceToken(keycloak: Keycloak): Promise<string> {
  const answer = await keycloak.post('token', { grant_type: 'client_credentials' }, `weir-service:${PASSWORD}`);
  return String(answer.access_token);
}

/** What the assistant gets for the token of a person: a token that says who acts, or an error. */
export function exchanged(keycloak: Keycloak, token: string): Promise<Record<string, unknown>> {
  const form = {
    grant_type: EXCHANGE_GRANT,
    subject_token: token,
    subject_token_type: ACCESS_TOKEN,
    audience: 'weir-api',
    scope: 'organization:*',
  };
  return keycloak.post('token', form, `weir-assistant:${PASSWORD}`);
}
