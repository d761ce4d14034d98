import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Mode, Refusal } from '@weir/kernel';
import type { Principal, Tenant } from '@weir/kernel/contract';
import { Problem } from '@weir/kernel/contract';
import t from 'tap';
import { readBindings } from '../src/model/binding/read-bindings.ts';
import { type OntologySettings, ontologyTenants } from '../src/service/bindings.ts';

const many = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, 'x'])));
const SPACE = 'has a key or value with space around it';
const TWICE = 'has a key twice';
const PATTERN = 'has a key or value with * or ?; patterns are not read';
const ALIKE = 'has two keys that differ in case or form only';
const UNSEEN = 'has a key or value with characters that cannot be seen';
const TEXT = 'must have text as every value';
const OBJECT = 'must be a JSON object';
const JSON_FAULT = 'is not well-formed JSON';

const MALFORMED: readonly [text: string, fault: string][] = [
  ['{', JSON_FAULT],
  ["{'acme':'a'}", JSON_FAULT],
  ['{"acme":"a",}', JSON_FAULT],
  ['acme=a', JSON_FAULT],
  ['null', OBJECT],
  ['[]', OBJECT],
  ['"acme"', OBJECT],
  ['7', OBJECT],
  ['{"acme":1}', TEXT],
  ['{"acme":null}', TEXT],
  ['{"acme":true}', TEXT],
  ['{"acme":["a"]}', TEXT],
  ['{"acme":{"id":"a"}}', TEXT],
  ['{"":"a"}', 'has an empty key or value'],
  ['{"acme":""}', 'has an empty key or value'],
  ['{"  ":"a"}', 'has an empty key or value'],
  ['{" acme":"a"}', SPACE],
  ['{"acme ":"a"}', SPACE],
  ['{"acme":"a\\t"}', SPACE],
  ['{"acme\\u00a0":"a"}', SPACE],
  ['{"*":"a"}', PATTERN],
  ['{"acme*":"a"}', PATTERN],
  ['{"acme":"?"}', PATTERN],
  ['{"acme":"a","acme":"a"}', TWICE],
  ['{"acme":"a","acme":"b"}', TWICE],
  ['{"acme":"a","\\u0061cme":"b"}', TWICE],
  ['{"acme":{"acme":"x"},"acme":"b"}', TWICE],
  ['{"acme":"a","ACME":"b"}', ALIKE],
  ['{"acme":"a","\\uff41cme":"b"}', ALIKE],
  ['{"straße":"a","STRASSE":"b"}', ALIKE],
  ['{"acme\\u200b":"a"}', UNSEEN],
  ['{"acme":"a\\u0000b"}', UNSEEN],
  [many(4_097), 'has more than 4096 entries'],
];

const log = { error: () => undefined };
const tenant = (alias: string): Tenant => ({ tenantId: `id of ${alias}`, alias, scope: alias });
const person: Principal = { kind: 'user', subject: 'p', client: 'c', organizations: ['acme'], realmRoles: ['admin'] };
const service = (capabilities: string[]): Principal => ({
  ...{ kind: 'service', subject: 's', client: 's', tenants: '*', capabilities },
});
const delegation = (capabilities: string[]): Principal => ({ ...person, kind: 'delegation', capabilities });
const under = (mode: Mode, settings: OntologySettings) => ontologyTenants({ mode, log }, settings);
const asked = (by: ReturnType<typeof under>, alias: string, principal: Principal = person) => {
  try {
    return by.boundTenant(tenant(alias), principal);
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
};
const refusal = (work: () => unknown): readonly string[] => {
  try {
    work();
    return [];
  } catch (error) {
    return error instanceof Refusal ? error.faults : [String(error)];
  }
};

t.test('bindings that could be meant in two ways → the start is refused by name, without a value', async (t) => {
  for (const [text, fault] of MALFORMED) {
    const faults = refusal(() => under('production', { ONTOLOGY_TENANT_BINDINGS_JSON: text }));
    t.strictSame(faults, [`ONTOLOGY_TENANT_BINDINGS_JSON ${fault}`], text.slice(0, 60));
  }
  t.ok(MALFORMED.length >= 30);
  t.equal(readBindings(many(4_096)).size, 4_096);
  t.strictSame(
    [...readBindings('{"acme":"a b","Other-1":"a b","__proto__":"c"}')],
    [
      ['acme', 'a b'],
      ['Other-1', 'a b'],
      ['__proto__', 'c'],
    ],
  );
});

t.test('outside of development each tenant needs its exact entry; a client needs the capability', async (t) => {
  for (const mode of ['staging', 'production'] as const) {
    const by = under(mode, { ONTOLOGY_TENANT_BINDINGS_JSON: '{"acme":"factory"}' });
    t.equal(asked(by, 'acme'), 'factory');
    for (const alias of ['ACME', 'acme2', 'acm', 'other', '__proto__', 'constructor'])
      t.equal(asked(by, alias), 'ontology_binding_missing', alias);
    t.equal(asked(under(mode, {}), 'acme'), 'ontology_binding_missing', 'nothing is set');
    t.strictSame(
      refusal(() => under(mode, { ONTOLOGY_TENANT_ID: 'one' })),
      ['ONTOLOGY_TENANT_ID must be empty outside of development: bind each tenant in ONTOLOGY_TENANT_BINDINGS_JSON'],
    );
    for (const client of [service, delegation]) {
      t.equal(asked(by, 'acme', client([])), 'capability_required');
      t.equal(asked(by, 'acme', client(['ontology:sync'])), 'factory');
      t.equal(asked(by, 'other', client(['ontology:sync'])), 'ontology_binding_missing');
    }
  }
});

t.test('development has one ontology tenant, unless tenants are bound', async (t) => {
  t.equal(asked(under('development', {}), 'acme'), 'development');
  t.equal(asked(under('development', { ONTOLOGY_TENANT_ID: 'mine' }), 'acme'), 'mine');
  const bound = { ONTOLOGY_TENANT_BINDINGS_JSON: '{"acme":"factory"}' };
  t.equal(asked(under('development', bound), 'other'), 'ontology_binding_missing');
  t.equal(asked(under('development', { ...bound, ONTOLOGY_TENANT_ID: 'mine' }), 'other'), 'mine');
});

t.test('a file of bindings → followed without a restart; one that is not in order binds no tenant', async (t) => {
  const file = join(t.testdir(), 'bindings.json');
  const place = { ONTOLOGY_TENANT_BINDINGS_JSON_FILE: file };
  t.match(
    refusal(() => under('production', place)),
    [/_FILE cannot be read$/],
  );
  writeFileSync(file, '{"acme":1}');
  t.strictSame(
    refusal(() => under('production', place)),
    [`ONTOLOGY_TENANT_BINDINGS_JSON_FILE ${TEXT}`],
  );
  let at = Date.now() / 1_000;
  const write = (text: string) => {
    writeFileSync(file, text);
    at += 1;
    utimesSync(file, at, at);
  };
  write('{"acme":"factory","other":"shop"}');
  const by = under('production', place);
  t.equal(asked(by, 'other'), 'shop');
  write('{"acme":"factory"}');
  t.equal(asked(by, 'other'), 'ontology_binding_missing', 'revoked');
  t.equal(asked(by, 'acme'), 'factory');
  write('{"acme":');
  t.equal(asked(by, 'acme'), 'ontology_binding_missing', 'broken');
  write('{"acme":"works"}');
  t.equal(asked(by, 'acme'), 'works');
});
