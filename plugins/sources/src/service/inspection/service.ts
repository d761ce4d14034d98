import { ConnectorError, parseImageReference } from '@weir/connector-runtime';
import { canonicalSha256, type Kernel, type RunRecord, runView, type Tenant } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import type { inspectImage, registerInspected } from '../../contract/inspection/inspections.ts';
import { type InspectionView, inspectionProblems } from '../../contract.ts';
import { draftPattern, idOf, nameOf, nextVersion } from '../../model/inspection/draft-pattern.ts';
import { foundFields } from '../../model/inspection/found-fields.ts';
import { documentOf, type PatternFile } from '../../model/pattern/pattern-file.ts';
import { readSpecDocument, type SpecDocument } from '../../model/pattern/spec-document.ts';
import { INSPECTION_KIND } from '../../model/run-kinds.ts';
import { phaseView } from '../../model/sync/view.ts';
import type { HowToStart } from '../discovery/service.ts';
import type { PatternCatalog, Sql } from '../pattern/catalog.ts';
import type { patternService } from '../pattern/service.ts';
import { addInspection, type InspectionRow, readInspection } from './rows.ts';

const { kind } = INSPECTION_KIND;

interface Deps {
  kernel: Kernel;
  sql: Sql;
  catalog: PatternCatalog;
  patterns: ReturnType<typeof patternService>;
}

/** Looking at connector images, and making patterns of them. */
export function inspectionService(deps: Deps) {
  const { kernel } = deps;
  return {
    /** Starts a look at an image in a tenant; one is done there at a time. */
    async start({ tenant: alias, image, spec }: Input<typeof inspectImage>['body'], how: HowToStart) {
      const tenant = await tenantOf(kernel, alias);
      readReference(image);
      const givenSpec = spec === undefined ? undefined : givenDocument(spec);
      const admitted = await kernel.runs.admit(kind, { queue: how.queue });
      return kernel.db(tenant).transaction(async (tx) => {
        const started = await kernel.runs.start(tx, {
          ...{ kind, admitted },
          subjectId: tenant.tenantId,
          requestedBy: how.requestedBy,
        });
        await addInspection(tx, { runId: started.run_id, image, givenSpec });
        return started;
      });
    },

    async get(runId: string): Promise<InspectionView> {
      const { run, tenant, row } = await inspectionOf(deps, runId);
      const facts = runView(run);
      const worker = (await kernel.runs.worker(tenant, run)) ?? null;
      const { image, found } = row;
      return { ...facts, ...phaseView(facts, row), tenant: tenant.alias, image, worker, found: foundView(found) };
    },

    /** Makes the pattern of an image that was looked at, or its next version. */
    async register(runId: string, { version, ...choices }: Input<typeof registerInspected>['body'], dryRun: boolean) {
      const { found } = (await inspectionOf(deps, runId)).row;
      if (found === undefined) throw inspectionProblems.inspectionNotDone({ members: { run_id: runId } });
      const image = readReference(found.reference);
      const draft = draftPattern({ image, ...found }, choices);
      const standing = await deps.catalog.find(draft.id);
      if (standing !== undefined && readReference(standing.pattern.image).repository !== image.repository) {
        throw taken(draft.id);
      }
      const known = standing && documentOf(standing.pattern);
      const isSame = known !== undefined && contentOf(known) === contentOf(draft);
      const own = isSame ? known.version : nextVersion(image, known?.version);
      const pattern = { ...draft, version: version ?? own };
      const change = await deps.patterns.register(pattern, { dryRun });
      return { ...change, dry_run: dryRun, pattern };
    },
  };
}

const taken = (id: string) =>
  inspectionProblems.patternIdTaken({
    errors: [{ pointer: '/pattern_id', code: 'taken' }],
    members: { pattern_id: id },
  });

/** All that a pattern says, but for its version and what another version of it is told to leave. */
function contentOf({ version: _, ...content }: Partial<PatternFile>): string {
  return canonicalSha256(content);
}

async function tenantOf(kernel: Kernel, alias: string): Promise<Tenant> {
  const tenant = await kernel.tenants.byAlias(alias);
  if (tenant === undefined) throw kernelProblems.notFound();
  return tenant;
}

/** The parts of an image reference; throws `image_reference_invalid`. */
function readReference(image: string) {
  try {
    return parseImageReference(image);
  } catch (cause) {
    if (!(cause instanceof ConnectorError)) throw cause;
    throw inspectionProblems.imageReferenceInvalid({ errors: [{ pointer: '/image', code: 'invalid' }], cause });
  }
}

function givenDocument(spec: unknown): SpecDocument {
  const read = readSpecDocument(spec);
  if (typeof read !== 'string') return read;
  throw inspectionProblems.specDocumentInvalid({ errors: [{ pointer: '/spec', code: read }] });
}

async function inspectionOf(
  { kernel, sql }: Pick<Deps, 'kernel' | 'sql'>,
  runId: string,
): Promise<{ run: RunRecord; tenant: Tenant; row: InspectionRow }> {
  const row = await readInspection(sql, runId);
  const tenant = row && (await kernel.tenants.byId(row.tenantId));
  const run = tenant && (await kernel.runs.find(tenant, runId, kind));
  if (row === undefined || tenant === undefined || run === undefined) throw kernelProblems.notFound();
  return { run, tenant, row };
}

function foundView(found: InspectionRow['found']): InspectionView['found'] {
  if (found === undefined) return null;
  const { reference, document } = found;
  const image = parseImageReference(reference);
  const { credentials, asked, places } = foundFields(document.spec);
  return {
    image: reference,
    pattern_id: idOf(image),
    name: nameOf({ image, document }),
    docs: document.docs,
    spec: document.spec,
    credential_fields: credentials,
    asked_fields: asked,
    place_fields: places,
  };
}
