import { Type } from '@sinclair/typebox';
import { endpoint, permission } from '@weir/kernel/contract';
import t from 'tap';
import type { UiPage } from '../src/contract.ts';
import { pageFaults } from '../src/pages/page-faults.ts';

const access = permission('things:read', 'viewer');
const Thing = Type.Object({ thing_id: Type.String(), made: Type.Object({ at: Type.String() }) });
const common = { summary: 'x', access };
const endpoints = [
  endpoint({
    ...common,
    id: 'things.list',
    method: 'GET',
    path: '/things',
    response: Type.Object({ items: Type.Array(Thing) }),
  }),
  endpoint({ ...common, id: 'things.make', method: 'POST', path: '/things', body: Type.Object({}), response: Thing }),
  endpoint({ ...common, id: 'things.end', method: 'DELETE', path: '/things/:thing_id' }),
  endpoint({ ...common, id: 'things.lose', method: 'DELETE', path: '/things/:other_id' }),
].map((one) => ({ ...one, plugin: 'things' }));

const page = (...blocks: object[]) =>
  ({ version: 'ui/v1', plugin: 'things', name: 'all', title: 'Things', blocks }) as unknown as UiPage;
const list = { kind: 'list', title: 'All', read: 'things.list', columns: [{ name: 'thing_id', title: 'Id' }] };
const form = { kind: 'form', title: 'New', operation: 'things.make', submit: 'Make' };
const faultsOf = (...pages: UiPage[]) => pageFaults(pages, endpoints as unknown as Parameters<typeof pageFaults>[1]);

t.test('pages over endpoints of their plugin → no fault', async (t) => {
  const end = { operation: 'things.end', label: 'End', confirm: 'End it?' };
  const columns = [{ name: 'made.at', title: 'Made', as: 'time' }];
  t.strictSame(faultsOf(page({ ...list, columns, actions: [end] }, form)), []);
});

t.test('a page that cannot work → where and why, in words for its author', async (t) => {
  const found = (...blocks: object[]) => faultsOf(page(...blocks)).join('; ');
  t.match(found({ ...list, kind: 'lst' }), /^page things\/all: \/blocks\/0\/kind: /);
  t.match(found({ ...list, colums: [] }), /\/blocks\/0\/colums: /);
  t.match(found({ ...list, read: 'sources.list_sources' }), /plugin things has no endpoint sources\.list_sources/);
  t.match(found({ ...list, read: 'things.make' }), /\/blocks\/0\/read: things\.make lists no items/);
  t.match(found({ ...list, columns: [{ name: 'nam', title: 'N' }] }), /\/blocks\/0\/columns\/0: the answer has no nam/);
  const lose = { operation: 'things.lose', label: 'Lose' };
  t.match(found({ ...list, actions: [lose] }), /\/blocks\/0\/actions: a row has no other_id/);
  t.match(found({ ...form, operation: 'things.list' }), /things\.list takes no body/);
  t.match(found({ kind: 'actions', title: 'A', actions: [lose] }), /the path of things\.lose wants other_id/);
  const facts = { kind: 'facts', title: 'F', read: 'things.make', facts: [{ name: 'thing_id', title: 'Id' }] };
  t.match(found(facts), /things\.make is no GET/);
  t.match(faultsOf(page(list), page(form)).join(), /another page has this address/);
});
