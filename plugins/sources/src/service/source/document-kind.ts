import type { Kernel } from '@weir/kernel';
import type { ApplyKind, Asked, ItemFault, Json, PlannedCall, Reader, Stored } from '@weir/plugin-apply/contract';
import { type SubjectSchedulesService, scheduleSpec, wantedSchedule } from '@weir/plugin-schedules/contract';
import {
  bulkStreams,
  type CredentialView,
  createSource,
  credentialProblems,
  listCredentials,
  listSchedules,
  listSources,
  listStreams,
  type SourceView,
  type StreamView,
  sourceSchedules,
  updateSource,
} from '../../contract.ts';
import { changedPlaces } from '../../model/config/config-places.ts';
import { splitConfig } from '../../model/credential/read-values.ts';
import {
  patchBetween,
  SourceSpec,
  type SourceSpecBody,
  streamSpec,
  wantedStreams,
} from '../../model/document/source-document.ts';
import { checkConfig } from '../../model/pattern/check-config.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { namedUpload } from '../../model/upload/upload-location.ts';
import { givenCredential, refuseCredentialsIn } from '../credential/given-credential.ts';
import type { PatternCatalog } from '../pattern/catalog.ts';

interface Deps {
  kernel: Kernel;
  patterns: Pick<PatternCatalog, 'named' | 'ofKnown'>;
  schedules: Pick<SubjectSchedulesService, 'times'>;
}

interface Read {
  source: SourceView;
  streams: readonly StreamView[];
}

/** Documents of sources, with their streams and their schedule. Credentials are write-only. */
export const sourceDocuments = (deps: Deps): ApplyKind => ({
  kind: 'Source',
  order: 10,
  spec: SourceSpec,
  list: listSources,
  async stored(item, { reader }): Promise<Stored> {
    const source = item as unknown as SourceView;
    const { source_id, name, pattern_id, source_config, etag } = source;
    const params = { source_id };
    const streams = source.streams === 0 ? [] : await reader.all<StreamView>(listStreams, { params });
    const schedule = source.schedule === null ? undefined : await scheduleOf(reader, source_id);
    const credential_name = await credentialName(reader, source.credential_ref);
    const listed = streams.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(streamSpec);
    const spec = {
      pattern_id,
      source_config,
      ...(credential_name && { credential_name }),
      ...(listed.length > 0 && { streams: listed }),
      ...(schedule && { schedule }),
    };
    return { name, id: source_id, etag, spec, view: { source, streams } satisfies Read };
  },
  plan: (asked) => planSource(deps, asked),
});

/** The name of a credential, to callers who may know it. */
async function credentialName(reader: Reader, ref: string | null): Promise<string | undefined> {
  if (ref === null) return undefined;
  const all = await reader.all<CredentialView>(listCredentials).catch((): CredentialView[] => []);
  return all.find(({ credential_ref }) => credential_ref === ref)?.name;
}

async function scheduleOf(reader: Reader, sourceId: string): Promise<Json | undefined> {
  const all = await reader.all<Parameters<typeof scheduleSpec>[0] & { source_id: string }>(listSchedules);
  const found = all.find(({ source_id }) => source_id === sourceId);
  return found && scheduleSpec(found);
}

async function planSource(deps: Deps, asked: Asked) {
  const { stored, self, name, allowDeprecate } = asked;
  const { pattern_id, source_config: config, streams: given = [], schedule } = asked.spec as SourceSpecBody;
  const there = stored?.view as Read | undefined;
  const params = { source_id: self };
  const faults = fixedFaults(asked, there?.source);
  if (faults.length > 0) return { faults, before: undefined, after: {}, calls: () => [] };
  const pattern = await patternOf(deps, pattern_id, there?.source);
  const credential = await credentialOf(deps, asked, pattern);
  const { visible, set, full } = configOf(deps, { config, pattern, credential, isNew: stored === undefined });
  if (there !== undefined) refuseMoved(there.source, { visible, set, pattern, credential });
  const streams = wantedStreams(given, there?.streams ?? []);
  const standing = stored?.spec.schedule as Json | undefined;
  const timed = wantedSchedule(sourceSchedules, deps.schedules, { given: schedule, standing, params, allowDeprecate });
  const calls = (): PlannedCall[] => {
    const { body } = credential;
    const patch = there === undefined ? {} : patchBetween(there.source.source_config, full);
    const changed = { ...(Object.keys(patch).length > 0 && { source_config: patch }), ...body };
    const bulk: PlannedCall = { endpoint: bulkStreams, params, body: { streams: streams.items } };
    const first: PlannedCall =
      stored === undefined
        ? { endpoint: createSource, body: { name, pattern_id, source_config: config, ...body }, id: 'source_id' }
        : { endpoint: updateSource, params, body: changed, ifMatch: stored.etag };
    const isFirst = stored === undefined || Object.keys(changed).length > 0;
    return [...(isFirst ? [first] : []), ...(streams.items.length > 0 ? [bulk] : []), ...timed.calls];
  };
  return {
    faults: [...(credential.fault === undefined ? [] : [credential.fault]), ...streams.faults, ...timed.faults],
    before: stored && {
      pattern_id,
      source_config: there?.source.source_config,
      streams: streams.before,
      ...credential.before,
      ...(timed.before && { schedule: timed.before }),
    },
    after: {
      pattern_id,
      source_config: visible,
      streams: streams.after,
      ...credential.after,
      ...(timed.after && { schedule: timed.after }),
    },
    set,
    streams: streams.streams,
    calls,
  };
}

/** What no document can change or name. */
function fixedFaults({ spec }: Asked, source: SourceView | undefined): ItemFault[] {
  const { pattern_id, source_config } = spec as SourceSpecBody;
  const faults: ItemFault[] = [];
  if (source !== undefined && source.pattern_id !== pattern_id)
    faults.push({
      code: 'immutable',
      pointer: '/spec/pattern_id',
      detail: 'The pattern of a source cannot be changed.',
    });
  if (namedUpload(source_config) !== undefined)
    faults.push({
      code: 'upload_not_portable',
      pointer: '/spec/source_config/path',
      detail: 'An upload belongs to one tenant and to no document: name files at an address or in a folder.',
    });
  return faults;
}

function patternOf({ patterns }: Deps, patternId: string, source: SourceView | undefined): Promise<Pattern> {
  if (source?.pattern_id !== patternId) return patterns.named(patternId);
  const { pattern_version: patternVersion, source_config: sourceConfig } = source;
  return patterns.ofKnown({ patternId, patternVersion, sourceConfig });
}

interface DocumentCredential {
  fault?: ItemFault;
  /** Members of the request. */
  body: Json;
  /** The credential that is named, as it is compared. */
  before: Json;
  after: Json;
  apply(config: Json): Json;
}

/** Throws what giving a credential so is refused with. */
async function credentialOf(
  deps: Deps,
  { spec, stored, tenant, reader }: Asked,
  pattern: Pattern,
): Promise<DocumentCredential> {
  const { credential_values: values, credential_name: name, credential_ref: given } = spec as SourceSpecBody;
  const same = (config: Json) => config;
  if (values === undefined && name === undefined && given === undefined)
    return { body: {}, before: {}, after: {}, apply: same } satisfies DocumentCredential;
  const current = (stored?.view as Read | undefined)?.source.credential_ref ?? undefined;
  if (values !== undefined) {
    const isAttached = current !== undefined || (stored !== undefined && deps.kernel.vault.mode === 'legacy_inline');
    const named = name === undefined || isAttached ? {} : { credential_name: name };
    const both = given === undefined ? {} : { credential_ref: given };
    const input = { credential_values: values, ...named, ...both };
    const read = await givenCredential(deps.kernel, tenant, { input, pattern });
    const apply = read.kind === 'values' ? read.apply : same;
    return { body: input, before: {}, after: {}, apply } satisfies DocumentCredential;
  }
  if (deps.kernel.vault.mode === 'legacy_inline') throw credentialProblems.credentialModeUnsupported();
  const all = await reader.all<CredentialView>(listCredentials);
  const wanted = all.find((one) => one.name === name || one.credential_ref === given);
  if (name !== undefined && given !== undefined) throw credentialProblems.credentialInputConflict();
  if (wanted === undefined) {
    const pointer = name === undefined ? '/spec/credential_ref' : '/spec/credential_name';
    const fault = { code: 'reference_unknown', pointer, detail: 'The tenant has no such credential.' };
    return { body: {}, before: {}, after: {}, apply: same, fault };
  }
  const nameOf = (ref: string | undefined) => all.find((one) => one.credential_ref === ref)?.name ?? null;
  const body = wanted.credential_ref === current ? {} : { credential_ref: wanted.credential_ref };
  const before = { credential_name: nameOf(current) };
  return { body, before, after: { credential_name: wanted.name }, apply: same } satisfies DocumentCredential;
}

interface GivenConfig {
  config: Json;
  pattern: Pattern;
  credential: DocumentCredential;
  isNew: boolean;
}

/** The configuration without its credentials, and where these are given. Throws `source_config_invalid`. */
function configOf({ kernel }: Deps, { config, pattern, credential, isNew }: GivenConfig) {
  const isInline = kernel.vault.mode === 'legacy_inline';
  if (!isInline) refuseCredentialsIn(config, pattern);
  const whole = credential.apply(config);
  checkConfig(pattern, whole, { withoutCredentials: !(isInline && isNew) });
  const { visible } = splitConfig(config, pattern);
  const set = [...splitConfig(whole, pattern).values.keys()].map((pointer) => `/source_config${pointer}`);
  return { visible, set, full: config };
}

interface After {
  visible: Json;
  set: readonly string[];
  pattern: Pattern;
  credential: DocumentCredential;
}

/** Throws `credentials_required` where kept credentials would go to another place. */
function refuseMoved(source: SourceView, { visible, set, pattern, credential }: After): void {
  const moved = changedPlaces(source.source_config, visible, pattern);
  const isGiven = set.length > 0 || Object.keys(credential.body).length > 0;
  if (moved.length === 0 || !source.has_credentials || isGiven) return;
  const errors = moved.map((pointer) => ({ pointer: `/source_config${pointer}`, code: 'place_changed' }));
  throw credentialProblems.credentialsRequired({ errors });
}
