import { type AnyRoute, handle, type Principal } from '@weir/kernel';
import * as endpoints from '../contract.ts';
import type { TransformServices } from '../service/services.ts';

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ transforms }: TransformServices): AnyRoute[] {
  return [
    handle(endpoints.createTransform, ({ tenant, principal, body }) =>
      transforms.create(tenant, subject(principal), body),
    ),
    handle(endpoints.listTransforms, ({ tenant, query }) => transforms.list(tenant, query)),
    handle(endpoints.getTransform, ({ tenant, params }) => transforms.get(tenant, params.transform_id)),
    handle(endpoints.changeTransform, ({ tenant, params, body, ifMatch }) =>
      transforms.change(tenant, params.transform_id, { body, ifMatch }),
    ),
    handle(endpoints.deleteTransform, ({ tenant, params, ifMatch }) =>
      transforms.remove(tenant, params.transform_id, ifMatch),
    ),
  ];
}

const subject = (principal: Principal) => (principal.kind === 'anonymous' ? 'anonymous' : principal.subject);
