import type { Kernel } from '@weir/kernel';
import {
  type ApplyKind,
  type Asked,
  type ItemFault,
  type Json,
  type PlannedCall,
  type Reader,
  refTo,
  type Stored,
} from '@weir/plugin-apply/contract';
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
  const hasStreams = given.length > 0;
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
        : { endpoint: updateSource, params, body: changed, ifMatch: stored.etag, id: 'source_id' };
    const isFirst = stored === undefined || Object.keys(changed).length > 0;
    return [...(isFirst ? [first] : []), ...(streams.items.length > 0 ? [bulk] : []), ...timed.calls];
  };
  return {
    faults: [...(credential.fault === undefined ? [] : [credential.fault]), ...streams.faults, ...timed.faults],
    before: stored && {
      pattern_id,
      source_config: there?.source.source_config,
      streams: hasStreams ? streams.before : undefined,
      ...credential.before,
      ...(timed.before && { schedule: timed.before }),
    },
    after: {
      pattern_id,
      source_config: visible,
      streams: hasStreams ? streams.after : undefined,
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
async function credentialOf(deps: Deps, asked: Asked, pattern: Pattern): Promise<DocumentCredential> {
  const { credential_values: values, credential_name: name, credential_ref: ref } = asked.spec as SourceSpecBody;
  const none = { body: {}, before: {}, after: {}, apply: (config: Json) => config };
  const ways = [['credential_values', values] as const, ['credential_name', name] as const];
  const body = Object.fromEntries(
    [...ways, ['credential_ref', ref] as const].filter(([, value]) => value !== undefined),
  );
  if (Object.keys(body).length === 0) return none;
  if (values === undefined) return namedCredential(deps, asked, none);
  const read = await givenCredential(deps.kernel, asked.tenant, { input: body, pattern });
  const given = { ...none, body, ...(read.kind === 'values' && { apply: read.apply }) };
  if (name === undefined) return given;
  const { all, current } = await credentialsOf(asked);
  const isTaken = all.some((one) => one.name === name && one.credential_ref !== current?.credential_ref);
  const compared = { before: { credential_name: current?.name ?? null }, after: { credential_name: name } };
  return { ...given, ...compared, ...(isTaken && { fault: TAKEN }) };
}

const TAKEN: ItemFault = {
  code: credentialProblems.credentialNameTaken.entry.code,
  pointer: '/spec/credential_name',
  detail: 'Another credential has this name: leave `credential_values` out to use it, or choose another name.',
  conflict: true,
};

/** The credentials that sources can use, and that of the source. */
async function credentialsOf({ reader, stored }: Asked) {
  const all = (await reader.all<CredentialView>(listCredentials)).filter(({ status }) => status !== 'revoked');
  const ref = (stored?.view as Read | undefined)?.source.credential_ref;
  return { all, current: all.find(({ credential_ref }) => credential_ref === ref) };
}

/** A credential that is there, or that a document before this one makes. */
async function namedCredential({ kernel }: Deps, asked: Asked, none: DocumentCredential): Promise<DocumentCredential> {
  const { pattern_id, credential_name: name, credential_ref: ref } = asked.spec as SourceSpecBody;
  if (kernel.vault.mode === 'legacy_inline') throw credentialProblems.credentialModeUnsupported();
  if (name !== undefined && ref !== undefined) throw credentialProblems.credentialInputConflict();
  const { all, current } = await credentialsOf(asked);
  const usable = all.filter(({ kind }) => kind === pattern_id);
  const wanted = usable.find((one) => (name === undefined ? one.credential_ref === ref : one.name === name));
  const before = { credential_name: current?.name ?? null };
  if (wanted !== undefined) {
    const { name: after, credential_ref } = wanted;
    const isSame = credential_ref === current?.credential_ref;
    return { ...none, body: isSame ? {} : { credential_ref }, before, after: { credential_name: after } };
  }
  const makes = ({ spec }: Asked['earlier'][number]) =>
    spec.pattern_id === pattern_id && spec.credential_name === name && spec.credential_values !== undefined;
  const maker = name === undefined ? undefined : asked.earlier.find(makes);
  if (maker !== undefined) {
    const credential_ref = refTo('Source', maker.name, 'credential_ref');
    return { ...none, body: { credential_ref }, before, after: { credential_name: name } };
  }
  const pointer = name === undefined ? '/spec/credential_ref' : '/spec/credential_name';
  const detail = 'The tenant has no such credential of this pattern.';
  return { ...none, fault: { code: 'reference_unknown', pointer, detail } };
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
