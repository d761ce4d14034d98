import { type AnyRoute, handle, type Principal } from '@weir/kernel';
import { ARROW_STREAM } from '@weir/plugin-datasets/contract';
import * as endpoints from '../contract.ts';
import type { TransformServices } from '../service/services.ts';

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes(services: TransformServices): AnyRoute[] {
  return [
    ...transformRoutes(services),
    ...services.schedules.routes(endpoints.transformSchedules),
    ...runRoutes(services),
    ...artifactRoutes(services),
    ...queryRoutes(services),
  ];
}

function transformRoutes({ transforms, patterns, details, hydrations, versions }: TransformServices): AnyRoute[] {
  return [
    handle(endpoints.createTransform, async ({ tenant, principal, body }) =>
      transforms.create(tenant, subject(principal), await patterns.body(body)),
    ),
    handle(endpoints.listTransforms, ({ tenant, query }) => transforms.list(tenant, query)),
    handle(endpoints.getTransform, ({ tenant, params }) => transforms.get(tenant, params.transform_id)),
    handle(endpoints.getTransformDetail, ({ tenant, params }) => details.get(tenant, params.transform_id)),
    handle(endpoints.hydrateTransform, ({ tenant, principal, params, ifMatch, signal }) =>
      hydrations.hydrate(tenant, params.transform_id, { by: subject(principal), ifMatch, signal }),
    ),
    handle(endpoints.changeTransform, ({ tenant, principal, params, body, ifMatch }) =>
      transforms.change(tenant, params.transform_id, { body, by: subject(principal), ifMatch }),
    ),
    handle(endpoints.discardTransformDraft, ({ tenant, params, ifMatch }) =>
      transforms.discard(tenant, params.transform_id, ifMatch),
    ),
    handle(endpoints.listTransformVersions, ({ tenant, params, query }) =>
      versions.list(tenant, params.transform_id, query),
    ),
    handle(endpoints.getTransformVersion, ({ tenant, params }) =>
      versions.get(tenant, params.transform_id, params.version),
    ),
    handle(endpoints.restoreTransformVersion, ({ tenant, principal, params, ifMatch, signal }) =>
      hydrations.restore(tenant, params.transform_id, params.version, { by: subject(principal), ifMatch, signal }),
    ),
    handle(endpoints.deleteTransform, ({ tenant, params, ifMatch }) =>
      transforms.remove(tenant, params.transform_id, ifMatch),
    ),
  ];
}

function runRoutes({ runs, starts, steps }: TransformServices): AnyRoute[] {
  return [
    handle(endpoints.materializeTransform, ({ tenant, principal, params, query, body }) =>
      starts.materialize(tenant, params.transform_id, { ...query, ...body, requestedBy: subject(principal) }),
    ),
    handle(endpoints.materializeTransforms, ({ tenant, principal, query, body }) =>
      starts.materializeAll(tenant, body, { ...query, requestedBy: subject(principal) }),
    ),
    handle(endpoints.executeTransform, ({ tenant, principal, params, query, body }) =>
      starts.execute(tenant, params.transform_id, { ...query, body, requestedBy: subject(principal) }),
    ),
    handle(endpoints.readSteps, async ({ tenant, params }) => {
      const { steps: views, ...whole } = await steps(tenant, params.run_id);
      // Rows need the right to query.
      return { ...whole, steps: views.map(({ columns: _, sample: __, ...step }) => step) };
    }),
    handle(endpoints.cancelTransformRun, ({ tenant, params }) => starts.cancel(tenant, params.run_id)),
    handle(endpoints.listRunsOfTransform, ({ tenant, params, query }) =>
      runs.list(tenant, { ...query, transform_id: params.transform_id }, { ofKnown: true }),
    ),
    handle(endpoints.getRunOfTransform, ({ tenant, params }) =>
      runs.get(tenant, { runId: params.run_id, transformId: params.transform_id }),
    ),
    handle(endpoints.listTransformRuns, ({ tenant, query }) => runs.list(tenant, query)),
    handle(endpoints.getTransformRun, ({ tenant, params }) => runs.get(tenant, { runId: params.run_id })),
    handle(endpoints.readRunChecks, ({ tenant, params }) => runs.checks(tenant, params.run_id)),
    handle(endpoints.readTransformRunLog, ({ tenant, params, query, signal }) =>
      runs.log(tenant, params.run_id, { query, signal }),
    ),
  ];
}

function artifactRoutes({ artifacts }: TransformServices): AnyRoute[] {
  return [
    handle(endpoints.listArtifacts, ({ tenant, query }) => artifacts.list(tenant, query)),
    handle(endpoints.getArtifact, ({ tenant, params }) => artifacts.get(tenant, params.artifact_id)),
    handle(endpoints.getArtifactContent, ({ tenant, params }) => artifacts.content(tenant, params.artifact_id)),
    handle(endpoints.downloadArtifact, ({ tenant, params }) => artifacts.download(tenant, params.artifact_id)),
  ];
}

function queryRoutes({ queries, validations }: TransformServices): AnyRoute[] {
  return [
    handle(endpoints.runQuery, ({ tenant, body, mediaType }) =>
      mediaType === ARROW_STREAM ? queries.arrow(tenant, body) : queries.json(tenant, body),
    ),
    handle(endpoints.validateTransform, ({ tenant, body, signal }) => validations.validate(tenant, body, signal)),
    handle(endpoints.previewTransform, ({ tenant, body }) => queries.json(tenant, body)),
  ];
}

const subject = (principal: Principal) => (principal.kind === 'anonymous' ? 'anonymous' : principal.subject);
