import { listUiPages } from '@weir/plugin-ui/contract';
import { useRead } from '../api/queries.ts';
import { isEnough, roleIn, usePerson } from '../session/person.ts';
import { endpointOf, type ShownPage } from './page-endpoint.ts';

/** The pages of plugins, and those of them that the person may look at. */
export function usePages() {
  const { me, tenant } = usePerson();
  const query = useRead(listUiPages);
  const role = roleIn(me, tenant);
  const readable = (page: ShownPage) => {
    const [block] = page.blocks;
    const first = block !== undefined && 'read' in block ? block.read : page.operations[0]?.operation;
    return first === undefined || isEnough(role, endpointOf(page, first).access);
  };
  return { query, pages: (query.data?.items ?? []).filter(readable) };
}
