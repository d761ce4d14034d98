import type { Place, Proof } from '../proof.ts';

const ROUTES = [
  { path: '/audit', who: 'admin' },
  { path: '/audit/platform', who: 'operator' },
] as const;
const PAGE = 500;

/** The audit trail, as its readers see it; who called stands in it. */
export const audit: Place = {
  name: 'audit events',
  about: 'every event of the tenant and of the platform, by GET /audit and /audit/platform',
  async leak({ platform, fault }, control) {
    const { status } = await platform.call({
      ...{ method: 'POST', path: '/sources', body: { name: 'Not A Name' }, subject: control.text },
    });
    if (status !== 400) fault(`the control of the audit trail was answered ${status}`);
  },
  async lookAlive(proof, look) {
    for (const { path, who } of ROUTES)
      for await (const text of pages(proof, path, who)) await look.bytes(`GET ${path}`, text);
  },
};

async function* pages({ platform, fault }: Proof, path: string, who: 'admin' | 'operator') {
  for (let token = ''; ; ) {
    const query = `?limit=${PAGE}${token === '' ? '' : `&page_token=${encodeURIComponent(token)}`}`;
    const { status, text, body } = await platform.call({ method: 'GET', path: `${path}${query}`, label: path, who });
    if (status !== 200) return fault(`GET ${path} was answered ${status}`);
    yield text;
    const next = body.next_page_token;
    if (typeof next !== 'string') return;
    token = next;
  }
}
