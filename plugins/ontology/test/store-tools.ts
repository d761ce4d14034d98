import type { Test } from 'tap';
import {
  type EntityChunk,
  type EntityItem,
  type OntologyStore,
  type StoreCall,
  StoreFault,
} from '../src/model/entity/store.ts';
import { settledBulk } from '../src/service/store/settled-bulk.ts';
import { chunk } from './kit.ts';

/** A store, and what two tenants call it with. */
export interface StoreUnderTest {
  store: OntologyStore;
  own: StoreCall;
  foreign: StoreCall;
}

export const LATER = '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d91';
export const owner = (targetKey: string, targetType = 'Person') => ({ relationship: 'owner', targetType, targetKey });
export const deletion = (keys: string[], more: object = {}) =>
  chunk([], { operation: 'delete', keys, ...more } as Partial<EntityChunk>);

export type StoreCase = [law: string, hold: (t: Test, at: Tools) => Promise<unknown>];
export type Tools = ReturnType<typeof toolsOf>;

/** Calls of one tenant, with fresh run ids unless a chunk names one. */
export function toolsOf({ store, own, foreign }: StoreUnderTest, type: string) {
  let runs = 0;
  const named = (given: EntityChunk): EntityChunk => ({ ...given, type: { ...given.type, code: type } });
  const freshRun = () => {
    runs += 1;
    return `0199d3f2-5c1e-7a40-9b6d-${type.slice(-4)}${String(runs).padStart(8, '0')}`;
  };
  const submit = (given: EntityChunk, call = own) => settledBulk(store, call, named(given));
  const write = (items: EntityItem[], more: object = {}) => submit(chunk(items, { runId: freshRun(), ...more }));
  const remove = (keys: string[], more: object = {}) => submit(deletion(keys, { runId: freshRun(), ...more }));
  const get = (key: string, call = own) => store.getEntity(call, type, key);
  const keys = async (query: object = {}, call = own) =>
    (await store.listEntities(call, type, { limit: 100, ...query })).map(({ key }) => key);
  const links = async (key: string, direction: 'out' | 'in' = 'out', of = type) =>
    (await store.listLinks(own, { type: of, key, relationship: 'owner', direction }, { limit: 100 })).map(
      ({ type: far, key: other }) => `${far} ${other}`,
    );
  return { store, own, foreign, type, submit, write, remove, get, keys, links, freshRun };
}

export const codeOf = async (work: Promise<unknown>) => {
  try {
    await work;
    return 'accepted';
  } catch (error) {
    return error instanceof StoreFault ? error.code : String(error);
  }
};
export const numbers = ({ submitted, completed, written }: Awaited<ReturnType<OntologyStore['submitBulk']>>) => [
  ...[submitted, completed, written],
];
