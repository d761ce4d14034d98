import type { FastifyInstance } from 'fastify';
import type { HealthCheck } from '../contract/points.ts';
import type { ProblemEntry } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import { DOCS_POLICY, docsAsset, errorPage, errorsPage, explorerPage } from './docs-page.ts';
import { handle, type RouteDeps, registerRoutes } from './handle.ts';
import {
  getDocs,
  getDocsAsset,
  getErrorDoc,
  getHealth,
  getOpenapi,
  getReady,
  listErrorDocs,
} from './kernel-endpoints.ts';
import { openapiText, type SignIn } from './openapi.ts';
import { raw } from './raw.ts';

export interface KernelRouteOptions {
  release: { sha: string; imageDigest: string };
  version: string;
  signIn: SignIn;
  checks: readonly HealthCheck[];
  problems: ReadonlyMap<string, ProblemEntry>;
  isStopping(): boolean;
}

/** The unversioned routes that belong to no domain. Registered last, so that the documents know every route. */
export function registerKernelRoutes(app: FastifyInstance, options: KernelRouteOptions, deps: RouteDeps): void {
  const { release, checks, problems } = options;
  const endpoints = () => app.declaredRoutes.map((route) => route.endpoint);
  // No route comes after these, so the document stays as it is first asked for.
  let document: string | undefined;
  const show = (type: string, body: string) => raw({ type, body, headers: { 'content-security-policy': DOCS_POLICY } });
  registerRoutes(
    app,
    [
      handle(getHealth, async () => ({ release_sha: release.sha, image_digest: release.imageDigest })),
      handle(getReady, async () => {
        if (options.isStopping()) throw kernelProblems.shuttingDown();
        const states = await Promise.all(
          checks.map(async ({ name, degrades, check }) => [name, await check().catch(() => false), degrades] as const),
        );
        const parts = Object.fromEntries(states.map(([name, up]) => [name, up ? ('up' as const) : ('down' as const)]));
        if (states.some(([, up, degrades]) => !up && !degrades))
          throw kernelProblems.dependencyUnavailable({ members: { parts } });
        return { ready: true, parts };
      }),
      handle(getOpenapi, async () => {
        document ??= openapiText(endpoints(), options.version, options.signIn);
        return show('application/json', document);
      }),
      handle(getDocs, async () => show(HTML, explorerPage())),
      handle(getDocsAsset, async ({ params }) => {
        const asset = await docsAsset(params.file);
        if (asset === undefined) throw kernelProblems.notFound();
        return show(asset.type, asset.body);
      }),
      handle(listErrorDocs, async () => show(HTML, errorsPage(problems.values()))),
      handle(getErrorDoc, async ({ params }) => {
        const entry = problems.get(params.code);
        if (entry === undefined) throw kernelProblems.notFound();
        const answering = endpoints().filter(({ errors = [] }) => errors.some((error) => error.entry === entry));
        const operations = answering.map(({ id }) => id);
        return show(HTML, errorPage(entry, operations));
      }),
    ],
    deps,
  );
}

const HTML = 'text/html; charset=utf-8';
