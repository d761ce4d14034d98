import type { Request } from '../platform/caller.ts';
import type { Proof } from '../proof.ts';
import { canary } from '../search/canary.ts';
import { drives } from './api.ts';

const MIB = 1024 * 1024;

/** What a client sends that is out of its mind, with a value of its own in each, which is searched for. */
export async function abuse(proof: Proof, mode: string, sourceId: string, patternId: string): Promise<void> {
  const { any } = drives(proof, 'abuse');
  const value = (field: string) => {
    const made = canary(mode, `abuse: ${field}`);
    proof.ledger.plant(made);
    return made.text;
  };
  for (const request of [...bodies(value, patternId), ...addresses(value), ...changes(value, sourceId)]) {
    const { status } = await any(request);
    if (status >= 500 && status !== 503) proof.fault(`abuse: ${request.label ?? request.path} was answered ${status}`);
  }
}

type Value = (field: string) => string;

const post = (label: string, raw: string, type = 'application/json'): Request => ({
  ...{ method: 'POST', path: '/sources', label: `/sources (${label})`, raw },
  headers: { 'content-type': type },
});

function bodies(value: Value, pattern: string): Request[] {
  const config = (field: string) => ({ habit: 'quiet', password: value(field) });
  const body = (field: string, more: object = {}) => ({
    ...{ name: 'abuse', pattern_id: pattern, source_config: config(field) },
    ...more,
  });
  const json = (label: string, given: unknown) => post(label, JSON.stringify(given));
  return [
    post('malformed JSON', `{"name":"abuse","source_config":{"password":"${value('malformed JSON')}"`),
    post('JSON with a bad escape', `{"password":"${value('bad escape')}\\q"}`),
    post('duplicate keys', `{"name":"${value('duplicate key')}","name":"b"}`),
    post('unsafe number', `{"password":"${value('unsafe number')}","n":12345678901234567890}`),
    post(
      'malformed YAML',
      `name: abuse\n source_config:\n\tpassword: ${value('malformed YAML')}\n`,
      'application/yaml',
    ),
    post('a tag of YAML', `name: !!binary ${value('YAML tag')}\n`, 'application/yaml'),
    post('a value that is no JSON', `name: .inf\npassword: ${value('YAML infinity')}\n`, 'application/yaml'),
    post('too large', JSON.stringify(body('too large', { filler: 'x'.repeat(2 * MIB) }))),
    post('an unknown content type', value('content type'), `application/x-${value('the content type itself')}`),
    json('wrong types', { name: { deep: value('wrong type') }, pattern_id: [value('wrong type, list')] }),
    json('an unknown field', body('beside an unknown field', { [value('name of a field')]: value('unknown field') })),
    json('an unknown field of the configuration', {
      ...body('x'),
      source_config: { ...config('x'), [value('name of a field of the configuration')]: 1, pass: value('misspelt') },
    }),
    json('a configuration that is a text', { ...body('x'), source_config: value('text for a configuration') }),
    json('a wrong type in the configuration', { ...body('x'), source_config: { habit: value('enum'), password: 1 } }),
    json('a name', { ...body('x'), name: value('name of the source') }),
    json('a pattern', { ...body('x'), pattern_id: value('pattern') }),
    json('undeclared credential', { ...body('x'), credential_values: { '/nobody': value('undeclared credential') } }),
    json('both ways', {
      ...{ name: 'abuse', pattern_id: pattern, source_config: { habit: 'quiet' } },
      ...{ credential_values: { '/password': value('both ways') }, credential_name: 'abuse' },
      ...{ credential_ref: `cred_${'a'.repeat(26)}` },
    }),
    json('a reference that is a value', { ...body('x'), credential_ref: value('reference') }),
    json('values that are a text', { ...body('x'), credential_values: value('text for values') }),
  ];
}

/** Not as the id of a workflow: such an id is text, and what a caller asks for is looked up in the database. */
function addresses(value: Value): Request[] {
  const get = (label: string, path: string, headers: Record<string, string> = {}): Request => ({
    ...{ method: 'GET', path, label: `(${label})`, headers },
  });
  return [
    get('in the query', `/sources?password=${value('query')}`),
    get('as a filter', `/sources?name=${value('filter')}`),
    get('as a page token', `/sources?page_token=${value('page token')}`),
    get('in the path', `/sources/${value('path')}`),
    get('as a route', `/${value('route')}`),
    get('as a tenant', '/sources', { 'x-tenant-id': value('tenant') }),
    get('as a token', '/sources', { authorization: `Bearer ${value('token')}` }),
    get('as basic credentials', '/sources', { authorization: `Basic ${btoa(`u:${value('basic')}`)}` }),
    get('as a condition', '/sources', { 'if-match': `"${value('condition')}"` }),
    get('as an origin', '/sources', { origin: `http://${value('origin')}`, accept: `x/${value('accept')}` }),
    get('as a trace', '/sources', { traceparent: value('trace'), tracestate: `x=${value('trace state')}` }),
    get('as a request id', '/sources', { 'x-request-id': value('request id'), 'user-agent': value('agent') }),
    { ...get('as an error page', ''), path: `//docs/errors/${value('error page')}`, who: 'nobody' },
  ];
}

function changes(value: Value, id: string): Request[] {
  const patch = (label: string, body: unknown): Request => ({
    ...{ method: 'PATCH', path: `/sources/${id}`, label: `/sources/{id} (${label})`, body },
  });
  return [
    patch('an unknown field', { password: value('patch, unknown field') }),
    patch('a wrong type', { source_config: { habit: { deep: value('patch, wrong type') } } }),
    patch('an undeclared field', { source_config: { nobody: value('patch, undeclared field') } }),
    {
      ...patch('another state', { source_config: { password: value('patch, other state') } }),
      headers: { 'if-match': '"no"' },
    },
    { ...patch('of a foreign source', { source_config: { password: value('patch, foreign') } }), who: 'foreign' },
    { ...patch('by a viewer', { source_config: { password: value('patch, viewer') } }), who: 'viewer' },
    { ...patch('by nobody', { source_config: { password: value('patch, nobody') } }), who: 'nobody' },
    {
      ...{ method: 'PUT', path: `/sources/${id}/credentials`, label: '/sources/{id}/credentials (undeclared)' },
      body: { credential_values: { '/nobody': value('rotate, undeclared') } },
    },
    {
      ...{ method: 'PUT', path: `/sources/${id}/credentials`, label: '/sources/{id}/credentials (foreign)' },
      ...{ body: { credential_values: { '/password': value('rotate, foreign') } }, who: 'foreign' },
    },
    {
      ...{ method: 'POST', path: `/sources/${id}/credentials`, label: '/sources/{id}/credentials (twice)' },
      body: { credential_values: { '/password': value('set twice') }, credential_name: 'twice' },
    },
    {
      ...{ method: 'POST', path: '/sources/discover', label: '/sources/discover (undeclared)' },
      body: { pattern_id: 'leaky', source_config: { habit: 'quiet', nobody: value('discover, undeclared') } },
    },
  ];
}
